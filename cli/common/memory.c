/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the command's own. */
#include <stdlib.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/json.h"

#ifdef SUMMAND_WITH_JANSSON
static void *json_memory(size_t bytes)
{
    return need(malloc(bytes));
}

void memory_begin(void)
{
    json_set_alloc_funcs(json_memory, free);
}
#else
void memory_begin(void)
{
}
#endif
