/* The floating-point environment around our kernels: round to nearest, denormals kept, traps off.
 * On x86-64 long double has an environment of its own, which alone is set by those that end in
 * _x87. Programs linked by gcc -ffast-math run with flush-to-zero and denormals-are-zero set;
 * others set directed rounding. Cost when nothing needs changing: one read of the control register.
 */
#ifndef SUMMAND_KERNEL_FPENV_H
#define SUMMAND_KERNEL_FPENV_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

/* Compilers move floating-point operations across a change of the environment, but not across this
 * when x depends on them or they on x. Calls that are not inlined need none. */
#define SUMMAND__SETTLE(x) __asm__ volatile("" : "+r"(x))

#if defined(__x86_64__)
#include <immintrin.h>

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

/* The x87's: also its precision, of 64 bits. Restored with its flags: what we raise must not trap
 * the caller later. Cost when nothing needs changing: one read of the control word. */
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

#if !defined(__x86_64__) /* where one environment serves all types */
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

/* The whole environment, as functions of the C library read it too, for example those that turn
 * text into numbers. For what all ranks must find alike, such as a choice. */
static inline fenv_t summand__fpenv_enter_whole(void)
{
    fenv_t saved;
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    return saved;
}

static inline void summand__fpenv_leave_whole(const fenv_t *saved)
{
    fesetenv(saved);
}

#endif
