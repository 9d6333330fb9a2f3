/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm/agreement.h"

#include <stdatomic.h>
#include <stdlib.h>

static struct summand__agreement spare;
static atomic_flag taken = ATOMIC_FLAG_INIT;

struct summand__agreement *summand__agreement_new(void)
{
    struct summand__agreement *agreement = malloc(sizeof *agreement);
    if (!agreement && !atomic_flag_test_and_set(&taken))
        agreement = &spare;
    return agreement;
}

void summand__agreement_free(struct summand__agreement *agreement)
{
    if (agreement == &spare)
        atomic_flag_clear(&taken);
    else
        free(agreement);
}
