/* SPDX-License-Identifier: BSD-3-Clause */
/* For the caller of a plan whose ranks compare words, with repairs. */
#pragma once

#include "transport/transport.h"

/* The operation that is over begins again. */
void summand__sealed_repeat(struct summand__link *link);

/* Tells if this rank has computed wrongly, after the repeat; `result`: that of the repeat differs.
 * Writes to `where` before which of its messages, or that it was in its result alone. */
bool summand__sealed_is_wrong(const struct summand__link *link, bool result, char *where,
                              size_t room);
