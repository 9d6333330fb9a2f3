/* SPDX-License-Identifier: BSD-3-Clause */
/* Floating-point environments of a program, and whether the present one is the one that was set:
 * modes, masks and flags, on x86-64 also of the x87. */
#pragma once

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    FLUSH = 0x8000,
    DENORMALS_ARE_ZERO = 0x40,
    NARROW = 0x0100 /* the x87's bits of precision */
};

struct environment {
    const char *name;
    int rounding;
    unsigned flush;
    bool narrow, traps;
    int flags;
};

static const struct environment environments[] = {
    {"the default", FE_TONEAREST, 0, false, false, 0},
    {"upwards", FE_UPWARD, 0, false, false, 0},
    {"downwards", FE_DOWNWARD, 0, false, false, 0},
    {"to zero", FE_TOWARDZERO, 0, false, false, 0},
#if defined(__x86_64__)
    {"flush to zero", FE_TONEAREST, FLUSH, false, false, 0},
    {"denormals are zero", FE_TONEAREST, DENORMALS_ARE_ZERO, false, false, 0},
    {"upwards and flushed", FE_UPWARD, FLUSH | DENORMALS_ARE_ZERO, false, false, 0},
    {"53 bits", FE_TONEAREST, 0, true, false, 0},
#endif
    {"traps", FE_TONEAREST, 0, false, true, 0},
    {"flags", FE_TONEAREST, 0, false, false, FE_DIVBYZERO | FE_UNDERFLOW},
};

/* The modes, masks and flags of a thread. */
struct registers {
    unsigned plain;
    int control, status;
};

static const struct environment *here = environments;
static struct registers meant; /* as `here` and callbacks have left them */
static long strange;           /* callbacks in a wrong environment */
static bool raised;            /* a callback raised a flag */

static struct registers now(void)
{
#if defined(__x86_64__)
    uint16_t control, status;
    __asm__ volatile("fnstcw %0\n\tfnstsw %1" : "=m"(control), "=m"(status));
    return (struct registers){_mm_getcsr(), control, status & FE_ALL_EXCEPT};
#else
    return (struct registers){(unsigned)fegetround(), fegetexcept(), fetestexcept(FE_ALL_EXCEPT)};
#endif
}

static bool kept(void)
{
    const struct registers is = now();
    return is.plain == meant.plain && is.control == meant.control && is.status == meant.status;
}

static void set(const struct environment *e)
{
    fesetenv(FE_DFL_ENV);
    here = e;
    fesetround(e->rounding);
#if defined(__x86_64__)
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    control = e->narrow ? control & (uint16_t)~NARROW : control;
    __asm__ volatile("fldcw %0" : : "m"(control));
    _mm_setcsr(_mm_getcsr() | e->flush);
#endif
    if (e->flags)
        feraiseexcept(e->flags);
    if (e->traps)
        feenableexcept(FE_ALL_EXCEPT);
    meant = now();
}

/* A flag that a call had raised would trap here. */
static void trap_behind(void)
{
    volatile long double x = 1;
    if (here->flags || raised)
        return;
    feenableexcept(FE_ALL_EXCEPT);
    x = x + x;
}

static void reset(void)
{
    set(environments);
}
