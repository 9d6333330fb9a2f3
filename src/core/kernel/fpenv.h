/* SPDX-License-Identifier: BSD-3-Clause */
/* The default floating-point environment: round to nearest, denormals kept, traps off. A kernel
 * sets it, and restores the caller's with its exception flags: a flag that we raise would trap in
 * the program later. Programs linked by gcc -ffast-math run with flush-to-zero and
 * denormals-are-zero set; others set directed rounding. Cost: two reads of the control and status
 * register. */
#pragma once

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
