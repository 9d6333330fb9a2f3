/* SPDX-License-Identifier: BSD-3-Clause */
#include "network/fault.h"
#include "base/quiet.h"

#include <stdarg.h>
#include <stdio.h>

bool summand__net_fail(struct summand__net_fault *fault, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!fault->text[0])
        summand__vformat(fault->text, sizeof fault->text, format, list);
    va_end(list);
    return false;
}

bool summand__net_fail_memory(struct summand__net_fault *fault)
{
    return summand__net_fail(fault, "out of memory");
}
