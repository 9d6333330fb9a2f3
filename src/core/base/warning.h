/* SPDX-License-Identifier: BSD-3-Clause */
/* The only output of the library itself: sentences on stderr about facts that are no errors and
 * would go unseen, and last words. */
#pragma once

/* Prints "summand: TEXT", unless SUMMAND_WARNINGS is off. Only one rank should call it. */
void summand__warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "summand: WORDS" in one write, so that lines of several ranks do not mix. SUMMAND_WARNINGS
 * has no effect. */
void summand__tell(const char *words);
/* The same to another descriptor than stderr's. */
void summand__tell_to(int descriptor, const char *words);

/* Warns about unknown SUMMAND_* variables, once per process. */
void summand__warn_unknown(void);
