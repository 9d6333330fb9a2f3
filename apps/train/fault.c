/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/fault.h"

#include <stdarg.h>
#include <stdio.h>

bool train_fail(struct train_fault *fault, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!fault->text[0])
        vsnprintf(fault->text, sizeof fault->text, format, list);
    va_end(list);
    return false;
}

bool train_fail_memory(struct train_fault *fault)
{
    return train_fail(fault, "out of memory");
}
