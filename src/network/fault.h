/* SPDX-License-Identifier: BSD-3-Clause */
/* An error in one sentence. */
#pragma once

#include <stdbool.h>

struct summand__net_fault {
    char text[1024]; /* empty while there is no error */
    bool apart;      /* a call of the ranks has failed: others may not know, so no rank may wait */
};

/* Stores a sentence; the first one stays. Returns false, for the caller to return. */
bool summand__net_fail(struct summand__net_fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool summand__net_fail_memory(struct summand__net_fault *fault);
