/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as users write them. */
#ifndef SUMMAND_BASE_NUMBER_H
#define SUMMAND_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Decimal, with an optional suffix k, m or g (powers of 1024); false if the text is none. */
bool summand__parse_integer(const char *text, long long *value);

/* Digits, with a decimal point or without, whatever the locale says; false if the text is none. */
bool summand__parse_decimal(const char *text, double *value);

/* The shortest text of a whole number: 65536 is "64k". */
void summand__print_integer(long long value, char *text, size_t room);

#endif
