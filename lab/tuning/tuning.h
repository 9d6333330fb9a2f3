/* SPDX-License-Identifier: BSD-3-Clause */
/* Edits and writes measured choices (select/tuning.h), for `summand tune`. */
#pragma once

#include <stdio.h>

#include "select/tuning.h"

/* Removes the tuning's choices for the calls of a rule; does not read the rule's algorithm. False
 * when out of memory. */
bool summand__tuning_drop(struct summand__tuning *tuning, const struct summand__tuning_rule *rule);

/* Adds a rule, which replaces the tuning's choices for the same calls. False when out of memory. */
bool summand__tuning_put(struct summand__tuning *tuning, const struct summand__tuning_rule *rule);

/* Sorts the rules, and joins adjacent ranges with the same choice. */
void summand__tuning_tidy(struct summand__tuning *tuning);

void summand__tuning_write(const struct summand__tuning *tuning, FILE *out);
void summand__tuning_write_rule(const struct summand__tuning_rule *rule, FILE *out);
