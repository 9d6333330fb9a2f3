/* SPDX-License-Identifier: BSD-3-Clause */
/* The injector of faults in messages: a transport over the one that would be used otherwise, there
 * only while a fault is set. */
#pragma once

#include "base/inject.h"

/* Sets the fault of this process, and counts its messages from 0 again; NULL: no fault, but links
 * that are opened from now on can have one. Not while messages are in flight. */
void summand__inject(const struct summand__injection *injection);

/* Messages that this process has sent since then, over links that can have a fault. */
uint64_t summand__injected_messages(void);

/* True if the fault has changed a message: one of equal bytes stays as it is. */
bool summand__injected_any(void);

/* Reads SUMMAND_INJECT once. Free if it is not set. */
void summand__inject_as_set(void);
