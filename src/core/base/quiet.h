/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of the library in a program that it does not own: no signal that a write raises reaches
 * the program, and nothing depends on the program's locale. */
#pragma once

#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* While it lasts, this thread's writes to a closed pipe and beyond the limit of a file's size
 * (`ulimit -f`) are errors, EPIPE and EFBIG, and not SIGPIPE and SIGXFSZ; and numbers and messages
 * are those of the C locale. May be nested; keeps errno. Cost: two system calls, or four after an
 * error. */
struct summand__quiet {
    sigset_t mask;
    locale_t locale;
    bool pending[2];
};
void summand__quiet_begin(struct summand__quiet *quiet);
void summand__quiet_end(const struct summand__quiet *quiet);

/* Writes all bytes to a descriptor, in quiet. False: see errno. */
bool summand__write_all(int descriptor, const char *bytes, size_t count);

/* As vsnprintf, in the C locale: the library's only way to print a text that may have numbers with
 * a point. No system call. */
int summand__vformat(char *text, size_t room, const char *format, va_list list)
    __attribute__((format(printf, 3, 0)));
int summand__format(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What an errno means, in English. */
const char *summand__reason(int error);

/* The C locale. */
locale_t summand__plain_locale(void);
