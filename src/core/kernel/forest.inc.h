/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of kernel/forest.h for one type. No include guard: included once for each.
 * T: double or float; FN(name): summand__name_f64 or _f32; OP(name): name_f64 or _f32;
 * TREE: the type of a kernel; ROW: the table's row. */

/* One loop per operator; otherwise each node would cost a call. */
#define FOLD(name, expression)                                                                     \
    static T OP(name)(const T *values, size_t n)                                                   \
    {                                                                                              \
        T b = values[n - 1];                                                                       \
        for (size_t i = n - 1; i-- > 0;) {                                                         \
            T a = values[i];                                                                       \
            b = expression;                                                                        \
        }                                                                                          \
        return b;                                                                                  \
    }
FOLD(plus, a + b)
FOLD(times, a *b)
FOLD(less, a < b ? a : b)
FOLD(more, a > b ? a : b)
#undef FOLD

typedef T OP(fold)(const T *values, size_t n);
static OP(fold) *const OP(folds)[SUMMAND__TREE_KINDS] = {
    [SUMMAND__TREE_SUM] = OP(plus),     [SUMMAND__TREE_ASUM] = OP(plus),
    [SUMMAND__TREE_SQUARES] = OP(plus), [SUMMAND__TREE_DOT] = OP(plus),
    [SUMMAND__TREE_MIN] = OP(less),     [SUMMAND__TREE_MAX] = OP(more),
    [SUMMAND__TREE_PROD] = OP(times),
};

size_t FN(forest)(enum summand__tree_kind kind, const T *x, const T *y, uint64_t start,
                  size_t count, T *values)
{
    TREE *tree = summand__tree_kernels()->ROW[kind];
    bool two = kind == SUMMAND__TREE_DOT;
    struct summand__fpenv_plain saved = summand__fpenv_enter();
    size_t n = 0, done = 0;
    while (done < count) {
        unsigned level = summand__dyadic_level(start + done, start + count);
        values[n++] = tree(x + done, two ? y + done : NULL, level);
        done += (size_t)1 << level;
    }
    summand__fpenv_leave(saved);
    return n;
}

T FN(tree_fold)(enum summand__tree_kind kind, const T *values, size_t n)
{
    struct summand__fpenv_plain saved = summand__fpenv_enter();
    T value = OP(folds)[kind](values, n);
    summand__fpenv_leave(saved);
    return value;
}
