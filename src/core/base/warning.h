/* SPDX-License-Identifier: BSD-3-Clause */
/* The only place where the library prints something by itself: sentences on stderr about what is no
 * error and would go unseen, and last words. */
#ifndef SUMMAND_BASE_WARNING_H
#define SUMMAND_BASE_WARNING_H

/* "summand: TEXT", unless SUMMAND_WARNINGS is off. The caller sees to it that one rank speaks. */
void summand__warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "summand: WORDS" in one write, so that lines of several ranks do not mix; whatever
 * SUMMAND_WARNINGS says. */
void summand__tell(const char *words);

/* Warns about unknown SUMMAND_* variables, once per process. */
void summand__warn_unknown(void);

#endif
