/* SPDX-License-Identifier: BSD-3-Clause */
/* How whatever plays or checks schedules says what is wrong. */
#ifndef SUMMAND_LAB_VERIFY_FAULT_H
#define SUMMAND_LAB_VERIFY_FAULT_H

#include "lab/verify/play.h"

/* Says what is wrong in play->fault. Returns false. */
bool summand__play_fault(struct summand__play *play, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

const char *summand__place_name(enum summand__place place);

#endif
