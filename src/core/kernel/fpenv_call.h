/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's floating-point environment during a public call. Each public call runs in the
 * default environment from its beginning to its end (SUMMAND__IN_DEFAULT_FPENV). So ranks whose
 * programs round in different ways choose, wait and compute alike, and nothing traps. A call leaves
 * no trace. A function of the program that a call runs, such as an operator, sees the program's
 * environment and flags, and what it changes stays (summand__fpenv_lend).
 *
 * On x86-64 long double has an environment of its own; only the functions that end in _x87 set it.
 */
#pragma once

#include "kernel/fpenv.h"

#if defined(__x86_64__)
/* The x87's environment, which includes its precision of 64 bits. */
struct summand__x87 {
    uint16_t environment[14]; /* if it was changed */
    uint16_t status;          /* else */
    bool changed;
};

static inline struct summand__x87 summand__fpenv_enter_x87(void)
{
    enum { DEFAULT = 0x037f, MEANT = 0x0f3f };
    struct summand__x87 saved;
    uint16_t control, standard = DEFAULT;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    saved.changed = (control & MEANT) != (DEFAULT & MEANT);
    if (saved.changed)
        __asm__ volatile("fnstenv %0\n\tfldcw %1" : "=m"(saved.environment) : "m"(standard));
    else
        __asm__ volatile("fnstsw %0" : "=m"(saved.status));
    return saved;
}

static inline void summand__fpenv_leave_x87(struct summand__x87 *saved)
{
    enum { FLAGS = 0x3f, STATUS = 2 };
    uint16_t status;
    __asm__ volatile("fnstsw %0" : "=m"(status));
    if (!saved->changed && !((status ^ saved->status) & FLAGS))
        return;
    if (!saved->changed) {
        __asm__ volatile("fnstenv %0" : "=m"(saved->environment));
        saved->environment[STATUS] =
            (uint16_t)((saved->environment[STATUS] & ~FLAGS) | (saved->status & FLAGS));
    }
    __asm__ volatile("fldenv %0" : : "m"(saved->environment));
}

#else /* one environment serves all types */

struct summand__x87 {
    struct summand__fpenv_plain plain;
};

static inline struct summand__x87 summand__fpenv_enter_x87(void)
{
    return (struct summand__x87){summand__fpenv_enter()};
}

static inline void summand__fpenv_leave_x87(struct summand__x87 *saved)
{
    summand__fpenv_leave(saved->plain);
}
#endif

/* The program's environment during a public call. */
struct summand__fpenv {
    struct summand__fpenv_plain plain;
    struct summand__x87 extended;
    bool noted; /* not a call inside another one */
};

/* The program's environment during this thread's public call; NULL: there is no call. */
extern _Thread_local struct summand__fpenv *summand__fpenv_callers;

static inline void summand__fpenv_save(struct summand__fpenv *callers)
{
    callers->plain = summand__fpenv_enter();
    callers->extended = summand__fpenv_enter_x87();
}

static inline void summand__fpenv_restore(struct summand__fpenv *callers)
{
    summand__fpenv_leave_x87(&callers->extended);
    summand__fpenv_leave(callers->plain);
}

static inline void summand__fpenv_enter_call(struct summand__fpenv *callers)
{
    callers->noted = !summand__fpenv_callers;
    if (callers->noted) {
        summand__fpenv_save(callers);
        __asm__("" : "+r"(callers)); /* gcc does not see that leave_call takes it back */
        summand__fpenv_callers = callers;
    }
}

static inline void summand__fpenv_leave_call(struct summand__fpenv *callers)
{
    if (callers->noted) {
        summand__fpenv_callers = NULL;
        summand__fpenv_restore(callers);
    }
}

/* First in a public call: the environment is the default one until the call ends. */
#define SUMMAND__IN_DEFAULT_FPENV                                                                  \
    __attribute__((cleanup(summand__fpenv_leave_call))) struct summand__fpenv callers_fpenv;       \
    summand__fpenv_enter_call(&callers_fpenv)

/* Around a function of the program: restores the program's environment, and saves what the function
 * has made of it. The function may jump out of the call. */
static inline struct summand__fpenv *summand__fpenv_lend(void)
{
    struct summand__fpenv *lent = summand__fpenv_callers;
    summand__fpenv_callers = NULL;
    if (lent)
        summand__fpenv_restore(lent);
    return lent;
}

static inline void summand__fpenv_take_back(struct summand__fpenv *lent)
{
    if (lent)
        summand__fpenv_save(lent);
    summand__fpenv_callers = lent;
}
