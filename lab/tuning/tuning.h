/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured choices (select/tuning.h) put together and written, as `summand tune` does it. */
#ifndef SUMMAND_LAB_TUNING_TUNING_H
#define SUMMAND_LAB_TUNING_TUNING_H

#include <stdio.h>

#include "select/tuning.h"

/* Takes out what the tuning says of the calls of a rule (whose algorithm is not read). False when
 * out of memory. */
bool summand__tuning_drop(struct summand__tuning *tuning, const struct summand__tuning_rule *rule);

/* Adds a rule in place of what the tuning says of the same calls. False when out of memory. */
bool summand__tuning_put(struct summand__tuning *tuning, const struct summand__tuning_rule *rule);

/* Sorts, and joins neighbouring ranges of the same choice. */
void summand__tuning_tidy(struct summand__tuning *tuning);

void summand__tuning_write(const struct summand__tuning *tuning, FILE *out);
void summand__tuning_write_rule(const struct summand__tuning_rule *rule, FILE *out);

#endif
