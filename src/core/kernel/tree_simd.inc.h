/* SPDX-License-Identifier: BSD-3-Clause */
/* One tree kernel for one kind, one type and one instruction set. No include guard: included once
 * for each. The file of the instruction set defines vectors:
 *     T, V, W, B         element, vector, lanes, log2 of lanes
 *     V_LOAD V_STORE V_FIRST
 *     V_LEFTk(a, b), V_RIGHTk(a, b) for k = 1 .. B: the left and the right operands of step k
 * and tree_kinds.inc.h defines a kind:
 *     FN(name), V_OP(a, b), S_OP(a, b), V_LEAF(x, y), S_LEAF(x, y)
 *
 * Step k turns two vectors into one of half as many subtrees, twice as tall. The operands are laid
 * out such that W vectors of consecutive leaves, after B steps, are one vector that holds the
 * values of W consecutive subtrees in order. The same routine combines W such vectors, and so on
 * upwards. Cost for W vectors: W - 1 vector operations and 2 (W - 1) shuffles. Source: whole
 * subtrees by lane shuffles: Algorithm 4 of C. Stelz, 2022, which sums 8 elements. */

#define INLINE static inline __attribute__((always_inline))

/* If both operands are the same vector, a step works within it. */
INLINE V FN(step1)(V a, V b)
{
    return V_OP(V_LEFT1(a, b), V_RIGHT1(a, b));
}

INLINE V FN(step2)(V a, V b)
{
    return V_OP(V_LEFT2(a, b), V_RIGHT2(a, b));
}

#if B >= 3
INLINE V FN(step3)(V a, V b)
{
    return V_OP(V_LEFT3(a, b), V_RIGHT3(a, b));
}
#endif

#if B >= 4
INLINE V FN(step4)(V a, V b)
{
    return V_OP(V_LEFT4(a, b), V_RIGHT4(a, b));
}
#endif

/* rise_k: all of steps 1 .. k over the first 2^spread of 2^k vectors; the others repeat these. The
 * two parts are named variables, because the evaluation order of arguments would walk memory
 * backwards. */
INLINE V FN(rise0)(const T *x, const T *y, unsigned spread, enum tree_source source)
{
    (void)y;
    (void)spread;
    return source != TREE_NODES ? V_LEAF(x, y) : V_LOAD(x);
}

INLINE V FN(rise1)(const T *x, const T *y, unsigned spread, enum tree_source source)
{
    for (size_t byte = 0; source >= TREE_NEAR && byte < 2 * sizeof(V);
         byte += SUMMAND__PREFETCH_LINE) {
        summand__prefetch(x, byte, source == TREE_FAR);
        if (TREE_TWO)
            summand__prefetch(y, byte, source == TREE_FAR);
    }
    V a = FN(rise0)(x, y, spread, source);
    V b = spread >= 1 ? FN(rise0)(x + W, y + W, spread, source) : a;
    return FN(step1)(a, b);
}

INLINE V FN(rise2)(const T *x, const T *y, unsigned spread, enum tree_source source)
{
    V a = FN(rise1)(x, y, spread, source);
    V b = spread >= 2 ? FN(rise1)(x + 2 * W, y + 2 * W, spread, source) : a;
    return FN(step2)(a, b);
}

#if B >= 3
INLINE V FN(rise3)(const T *x, const T *y, unsigned spread, enum tree_source source)
{
    V a = FN(rise2)(x, y, spread, source);
    V b = spread >= 3 ? FN(rise2)(x + 4 * W, y + 4 * W, spread, source) : a;
    return FN(step3)(a, b);
}
#endif

#if B >= 4
INLINE V FN(rise4)(const T *x, const T *y, unsigned spread, enum tree_source source)
{
    V a = FN(rise3)(x, y, spread, source);
    V b = spread >= 4 ? FN(rise3)(x + 8 * W, y + 8 * W, spread, source) : a;
    return FN(step4)(a, b);
}
#endif

#if B == 2
#define RISE FN(rise2)
#elif B == 3
#define RISE FN(rise3)
#elif B == 4
#define RISE FN(rise4)
#endif

/* The tree over 2^spread vectors: they end in as many lanes, which are then combined. */
INLINE T FN(crown)(const T *x, const T *y, unsigned spread, enum tree_source source)
{
    V v = RISE(x, y, spread, source);
    if (spread >= 1)
        v = FN(step1)(v, v);
    if (spread >= 2)
        v = FN(step2)(v, v);
#if B >= 3
    if (spread >= 3)
        v = FN(step3)(v, v);
#endif
    return V_FIRST(v);
}

/* Trees of B <= level < 2 B. */
INLINE T FN(small)(const T *x, const T *y, unsigned level, enum tree_source source)
{
#if B >= 4
    if (level == B + 3)
        return FN(crown)(x, y, 3, source);
#endif
#if B >= 3
    if (level == B + 2)
        return FN(crown)(x, y, 2, source);
#endif
    return level == B ? FN(crown)(x, y, 0, source) : FN(crown)(x, y, 1, source);
}

/* Trees of level < B. */
INLINE T FN(tiny)(const T *x, const T *y, unsigned level)
{
    (void)y;
    T v[W / 2];
    unsigned n = 1u << level;
    for (unsigned i = 0; i < n; i++)
        v[i] = S_LEAF(x[i], y[i]);
    for (; n > 1; n /= 2)
        for (unsigned i = 0; i < n / 2; i++)
            v[i] = S_OP(v[2 * i], v[2 * i + 1]);
    return v[0];
}

/* Stores the values of the subtrees of level B over `blocks` blocks of W vectors. */
INLINE void FN(fill)(T *values, const T *x, const T *y, size_t blocks, enum tree_source source)
{
    for (size_t i = 0; i < blocks; i++)
        V_STORE(values + i * W, RISE(x + i * W * W, y + i * W * W, B, source));
}

/* For large trees, in which a call costs nothing. */
static __attribute__((noinline)) T FN(top)(const T *x, unsigned level)
{
    return FN(small)(x, x, level, TREE_NODES);
}

/* Trees of level >= 2 B: pile[d] collects vectors of subtrees of level (d + 1) B until it has W of
 * them; the pile is a counter to base W whose digits are vectors. Each RISE in the code costs build
 * time, for all kinds and types: so the large trees share their end. */
INLINE T FN(large)(const T *x, const T *y, unsigned level, enum tree_source source)
{
    enum { BLOCK = W * W, DEPTH = (64 - 2 * B) / B + 1 };
    T pile[DEPTH][BLOCK] __attribute__((aligned(64)));
    T *rest = *pile;
    unsigned left = level - B;
    if (source == TREE_LEAVES && level < 3 * B) /* others are larger: TREE_CACHED */
        FN(fill)(*pile, x, y, (size_t)1 << (level - 2 * B), source);
    else {
        size_t chunks = (size_t)1 << (level - 3 * B);
        for (size_t i = 0; i < chunks; i++, x += W * BLOCK, y += W * BLOCK) {
            FN(fill)(*pile, x, y, W, source);
            V v = RISE(*pile, *pile, B, TREE_NODES);
            size_t digits = i;
            T(*top)[BLOCK] = pile + 1;
            for (; digits % W == W - 1; digits /= W, top++) {
                V_STORE(*top + (W - 1) * W, v);
                v = RISE(*top, *top, B, TREE_NODES);
            }
            V_STORE(*top + digits % W * W, v);
        }
        rest = pile[(level - 2 * B) / B];
        left = B + level % B;
    }
    return source == TREE_LEAVES ? FN(small)(rest, rest, left, TREE_NODES) : FN(top)(rest, left);
}

/* Not inlined: small trees must not pay for the pile's memory. */
static __attribute__((noinline)) T FN(cached)(const T *x, const T *y, unsigned level)
{
    return FN(large)(x, y, level, TREE_LEAVES);
}

static __attribute__((noinline)) T FN(near)(const T *x, const T *y, unsigned level)
{
    return FN(large)(x, y, level, TREE_NEAR);
}

static __attribute__((noinline)) T FN(far)(const T *x, const T *y, unsigned level)
{
    return FN(large)(x, y, level, TREE_FAR);
}

static T FN(tree)(const T *x, const T *y, unsigned level)
{
    if (!TREE_TWO)
        y = x; /* never read, but advanced */
    if (level < B)
        return FN(tiny)(x, y, level);
    if (level < 2 * B)
        return FN(small)(x, y, level, TREE_LEAVES);
    const size_t bytes = sizeof(T) << level;
    if (bytes < TREE_CACHED)
        return FN(cached)(x, y, level);
    return bytes <= SUMMAND__PREFETCH_FAR ? FN(near)(x, y, level) : FN(far)(x, y, level);
}

#undef INLINE
#undef RISE
