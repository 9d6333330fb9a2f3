/* SPDX-License-Identifier: BSD-3-Clause */
/* The default floating-point environment: round to nearest, denormals kept, traps off. Each public
 * call runs in it from its beginning to its end (SUMMAND__IN_DEFAULT_FPENV). So ranks whose
 * programs round in different ways choose, wait and compute alike, and nothing traps. Kernels set
 * it for themselves, too. A function of the program that a call runs, such as an operator, sees the
 * program's environment (summand__fpenv_lend).
 *
 * On x86-64 long double has an environment of its own; only the functions that end in _x87 set it.
 * Programs linked by gcc -ffast-math run with flush-to-zero and denormals-are-zero set; others set
 * directed rounding. Cost if nothing needs changing: one read of the control register. */
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

static inline uint32_t summand__fpenv_enter(void)
{
    uint32_t saved = _mm_getcsr();
    if ((saved & ~0x3fu) != SUMMAND__MXCSR_DEFAULT)
        _mm_setcsr(SUMMAND__MXCSR_DEFAULT);
    return saved;
}

static inline void summand__fpenv_leave(uint32_t saved)
{
    if ((saved & ~0x3fu) != SUMMAND__MXCSR_DEFAULT)
        _mm_setcsr(saved);
}

/* The x87's environment, which includes its precision of 64 bits. It is restored with its flags: an
 * exception that we raise must not trap the caller later. Cost if nothing needs changing: one read
 * of the control word. */
struct summand__x87 {
    uint16_t environment[14];
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
    return saved;
}

static inline void summand__fpenv_leave_x87(const struct summand__x87 *saved)
{
    if (saved->changed)
        __asm__ volatile("fldenv %0" : : "m"(saved->environment));
}

#elif defined(__aarch64__)

static inline uint32_t summand__fpenv_enter(void)
{
    uint64_t saved;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    if (saved)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
    return (uint32_t)saved;
}

static inline void summand__fpenv_leave(uint32_t saved)
{
    if (saved)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)saved) : "memory");
}

#else
static inline uint32_t summand__fpenv_enter(void)
{
    uint32_t saved = (uint32_t)fegetround();
    if (saved != FE_TONEAREST)
        fesetround(FE_TONEAREST);
    return saved;
}

static inline void summand__fpenv_leave(uint32_t saved)
{
    if (saved != FE_TONEAREST)
        fesetround((int)saved);
}
#endif

#if !defined(__x86_64__) /* one environment serves all types */
struct summand__x87 {
    uint32_t environment;
};

static inline struct summand__x87 summand__fpenv_enter_x87(void)
{
    return (struct summand__x87){summand__fpenv_enter()};
}

static inline void summand__fpenv_leave_x87(const struct summand__x87 *saved)
{
    summand__fpenv_leave(saved->environment);
}
#endif

/* The caller's environment during a public call. */
struct summand__fpenv {
#if defined(__x86_64__) || defined(__aarch64__)
    uint32_t plain;
    struct summand__x87 extended;
#else
    fenv_t whole;
#endif
    bool changed; /* it is not the default one */
    bool noted;   /* it was not the default one when the call began */
    struct summand__fpenv *outer;
};

/* The caller's environment of this thread's public call; NULL if it is the default one, or there is
 * no call. */
extern _Thread_local struct summand__fpenv *summand__fpenv_callers;

/* Sets the default environment. Cost if the caller has it already: one read of each control word.
 */
static inline void summand__fpenv_save(struct summand__fpenv *callers)
{
#if defined(__x86_64__)
    callers->plain = summand__fpenv_enter();
    callers->extended = summand__fpenv_enter_x87();
    callers->changed =
        (callers->plain & ~0x3fu) != SUMMAND__MXCSR_DEFAULT || callers->extended.changed;
#elif defined(__aarch64__)
    callers->plain = summand__fpenv_enter();
    callers->changed = callers->plain != 0;
#else
    fegetenv(&callers->whole);
    fesetenv(FE_DFL_ENV);
    callers->changed = true;
#endif
}

static inline void summand__fpenv_restore(const struct summand__fpenv *callers)
{
#if defined(__x86_64__)
    summand__fpenv_leave_x87(&callers->extended);
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    summand__fpenv_leave(callers->plain);
#else
    fesetenv(&callers->whole);
#endif
}

/* Notes the caller's environment. A nested public call finds the default environment, and the outer
 * call's caller here. */
void summand__fpenv_note(struct summand__fpenv *callers);

static inline void summand__fpenv_enter_call(struct summand__fpenv *callers)
{
    summand__fpenv_save(callers);
    callers->noted = callers->changed;
    if (callers->noted)
        summand__fpenv_note(callers);
}

static inline void summand__fpenv_leave_call(const struct summand__fpenv *callers)
{
    if (!callers->noted)
        return;
    summand__fpenv_callers = callers->outer;
    summand__fpenv_restore(callers);
}

/* First in a public call: the environment is the default one until the call ends. */
#define SUMMAND__IN_DEFAULT_FPENV                                                                  \
    __attribute__((cleanup(summand__fpenv_leave_call))) struct summand__fpenv callers_fpenv;       \
    summand__fpenv_enter_call(&callers_fpenv)

/* Around a function of the program: restores the program's environment. If that is not the default
 * one, the function's changes to it persist. The function may jump out of the call. */
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
    struct summand__fpenv left;
    summand__fpenv_save(lent ? lent : &left);
    summand__fpenv_callers = lent;
}

#endif
