/* SPDX-License-Identifier: BSD-3-Clause */
/* The default floating-point environment: round to nearest, denormals kept, traps off. Each public
 * call runs in it from its beginning to its end (SUMMAND__IN_DEFAULT_FPENV). So ranks whose
 * programs round in different ways choose, wait and compute alike, and nothing traps. The program's
 * environment is restored with its exception flags, so a call leaves no trace: a flag that we raise
 * would trap in the program later. Kernels set the environment for themselves, too. A function of
 * the program that a call runs, such as an operator, sees the program's environment and flags, and
 * what it changes stays (summand__fpenv_lend).
 *
 * On x86-64 long double has an environment of its own; only the functions that end in _x87 set it.
 * Programs linked by gcc -ffast-math run with flush-to-zero and denormals-are-zero set; others set
 * directed rounding. Cost: two reads of each control and status register. */
#ifndef SUMMAND_KERNEL_FPENV_H
#define SUMMAND_KERNEL_FPENV_H

#include <fenv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compilers move floating-point operations across a change of the environment, but not across this
 * if x depends on them or they on x. Calls that are not inlined need none. */
#define SUMMAND__SETTLE(x) __asm__ volatile("" : "+r"(x))

#if defined(__x86_64__)
#include <xmmintrin.h> /* immintrin.h costs each of 40 files 0.3 s */

#define SUMMAND__MXCSR_DEFAULT 0x1f80u

/* The environment of double and float: modes and flags. */
struct summand__fpenv_plain {
    uint32_t mxcsr;
};

static inline struct summand__fpenv_plain summand__fpenv_enter(void)
{
    const struct summand__fpenv_plain saved = {_mm_getcsr()};
    if ((saved.mxcsr & ~0x3fu) != SUMMAND__MXCSR_DEFAULT)
        _mm_setcsr(SUMMAND__MXCSR_DEFAULT);
    return saved;
}

static inline void summand__fpenv_leave(struct summand__fpenv_plain saved)
{
    if (_mm_getcsr() != saved.mxcsr)
        _mm_setcsr(saved.mxcsr);
}

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

#elif defined(__aarch64__)

struct summand__fpenv_plain {
    uint64_t modes, flags;
};

static inline struct summand__fpenv_plain summand__fpenv_enter(void)
{
    struct summand__fpenv_plain saved;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(saved.modes), "=r"(saved.flags));
    if (saved.modes)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
    return saved;
}

static inline void summand__fpenv_leave(struct summand__fpenv_plain saved)
{
    uint64_t flags;
    __asm__ volatile("mrs %0, fpsr" : "=r"(flags) : : "memory");
    if (flags != saved.flags)
        __asm__ volatile("msr fpsr, %0" : : "r"(saved.flags) : "memory");
    if (saved.modes)
        __asm__ volatile("msr fpcr, %0" : : "r"(saved.modes) : "memory");
}

#else

struct summand__fpenv_plain {
    fenv_t whole;
};

static inline struct summand__fpenv_plain summand__fpenv_enter(void)
{
    struct summand__fpenv_plain saved;
    fegetenv(&saved.whole);
    fesetenv(FE_DFL_ENV);
    return saved;
}

static inline void summand__fpenv_leave(struct summand__fpenv_plain saved)
{
    fesetenv(&saved.whole);
}
#endif

#if !defined(__x86_64__) /* one environment serves all types */
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

#endif
