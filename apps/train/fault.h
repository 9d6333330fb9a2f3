/* SPDX-License-Identifier: BSD-3-Clause */
/* What went wrong, in one sentence, for whoever asked. */
#ifndef SUMMAND_TRAIN_FAULT_H
#define SUMMAND_TRAIN_FAULT_H

#include <stdbool.h>

struct train_fault {
    char text[1024]; /* empty while nothing did */
    bool apart;      /* a call of the ranks has failed: others may not know, and nobody may wait */
};

/* Notes a sentence; the first one stays. Returns false, to be passed on. */
bool train_fail(struct train_fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool train_fail_memory(struct train_fault *fault);

#endif
