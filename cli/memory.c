/* Memory of the command's own. */
#include <jansson.h>
#include <stdlib.h>

#include "cli.h"
#include "need.h"

static void *json_memory(size_t bytes)
{
    return need(malloc(bytes));
}

void memory_begin(void)
{
    json_set_alloc_funcs(json_memory, free);
}
