/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/arch.h"

#include <stdatomic.h>

#include "base/environment.h"
#include "base/warning.h"

static const char *const names[SUMMAND__ARCHS] = {"generic", "avx2", "avx512", "neon"};
static atomic_int chosen = -1;

const char *summand__arch_name(enum summand__arch arch)
{
    return names[arch];
}

static enum summand__arch wanted(bool for_good, const char **complaint)
{
    struct summand__setting setting;
    struct summand__complaint why;
    bool good = for_good ? summand__environment_take("SUMMAND_ARCH", &setting, &why)
                         : summand__environment_read("SUMMAND_ARCH", &setting, &why);
    *complaint = NULL;
    if (!good)
        *complaint = "SUMMAND_ARCH is none of generic, avx2, avx512, neon";
    else if (setting.text && summand__arch_supported((enum summand__arch)setting.number))
        return (enum summand__arch)setting.number; /* the table's words have this order */
    else if (setting.text)
        *complaint = "SUMMAND_ARCH names an instruction set that this processor lacks";
    return summand__arch_best();
}

enum summand__arch summand__arch(void)
{
    int arch = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (arch < 0) {
        const char *complaint;
        int none = -1;
        arch = (int)wanted(true, &complaint);
        bool first = atomic_compare_exchange_strong(&chosen, &none, arch);
        if (first && complaint) /* callers of the MPI part also get an error: comm/state.c */
            summand__warn("%s; %s is used", complaint, names[arch]);
    }
    return (enum summand__arch)arch;
}

const char *summand__arch_complaint(void)
{
    const char *complaint;
    wanted(false, &complaint);
    return complaint;
}

bool summand__arch_force(enum summand__arch arch)
{
    if (!summand__arch_supported(arch))
        return false;
    atomic_store_explicit(&chosen, (int)arch, memory_order_relaxed);
    return true;
}
