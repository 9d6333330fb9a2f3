/* SPDX-License-Identifier: BSD-3-Clause */
/* An error in one sentence. */
#ifndef SUMMAND_TRAIN_FAULT_H
#define SUMMAND_TRAIN_FAULT_H

#include <stdbool.h>

struct train_fault {
    char text[1024]; /* empty while there is no error */
    bool apart;      /* a call of the ranks has failed: others may not know, so no rank may wait */
};

/* Stores a sentence; the first one stays. Returns false, for the caller to return. */
bool train_fail(struct train_fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool train_fail_memory(struct train_fault *fault);

#endif
