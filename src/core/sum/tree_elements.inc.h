/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of tree_elements.c for one type. No include guard: included once for each. T:
 * double or float; FN(name): name_f64 or _f32; FIELD: of union summand__block. */

/* Writes the leaves of complex elements: real parts and imaginary ones. */
static void FN(leaves)(enum summand_kind kind, size_t n, const T *x, const T *y, T *re, T *im)
{
    for (size_t i = 0; i < n; i++) {
        const T a = x[2 * i], b = x[2 * i + 1];
        im[i] = 0;
        switch (kind) {
        case SUMMAND_KIND_SUM:
            re[i] = a;
            im[i] = b;
            break;
        case SUMMAND_KIND_ASUM:
            re[i] = FN(absolute)(a) + FN(absolute)(b);
            break;
        case SUMMAND_KIND_NRM2:
            re[i] = a * a + b * b;
            break;
        case SUMMAND_KIND_DOT:
            re[i] = a * y[2 * i] - b * y[2 * i + 1];
            im[i] = a * y[2 * i + 1] + b * y[2 * i];
            break;
        case SUMMAND_KIND_DOT_CONJUGATED:
            re[i] = a * y[2 * i] + b * y[2 * i + 1];
            im[i] = a * y[2 * i + 1] - b * y[2 * i];
            break;
        }
    }
}

/* Adjacent subtrees, from left to right. */
struct FN(stack) {
    size_t n;
    struct summand__dyadic_node node[SUMMAND__DYADIC_MAX + 1];
    T re[SUMMAND__DYADIC_MAX + 1], im[SUMMAND__DYADIC_MAX + 1];
};

/* Pushes a subtree; siblings become their parent. */
static void FN(push)(struct FN(stack) * stack, struct summand__dyadic_node node, T re, T im)
{
    while (stack->n && stack->node[stack->n - 1].level == node.level &&
           !(stack->node[stack->n - 1].position >> node.level & 1)) {
        stack->n--;
        re = stack->re[stack->n] + re;
        im = stack->im[stack->n] + im;
        node.position = stack->node[stack->n].position;
        node.level++;
    }
    stack->node[stack->n] = node;
    stack->re[stack->n] = re;
    stack->im[stack->n++] = im;
}

/* Pushes the subtrees of a block: n elements from `from` on; the first one is leaf `position`. */
static void FN(plant)(struct FN(stack) * stack, const struct lines *lines, size_t from, size_t n,
                      uint64_t position)
{
    union summand__block x, y, leaves;
    struct summand__dyadic_node nodes[SUMMAND__DYADIC_MAX];
    T re[SUMMAND__DYADIC_MAX], im[SUMMAND__DYADIC_MAX] = {0};
    T *imaginary = &leaves.FIELD[BLOCK];
    summand__gather(&lines->x, from, n, &x);
    if (lines->two)
        summand__gather(&lines->y, from, n, &y);
    if (lines->complex) {
        FN(leaves)(lines->kind, n, x.FIELD, y.FIELD, leaves.FIELD, imaginary);
        FN(summand__forest)(SUMMAND__TREE_SUM, leaves.FIELD, NULL, position, n, re);
        FN(summand__forest)(SUMMAND__TREE_SUM, imaginary, NULL, position, n, im);
    } else {
        FN(summand__forest)
        (summand__tree_kind_of(lines->kind), x.FIELD, lines->two ? y.FIELD : NULL, position, n, re);
    }
    unsigned count = summand__dyadic_nodes(position, n, nodes);
    for (unsigned j = 0; j < count; j++)
        FN(push)(stack, nodes[j], re[j], im[j]);
}

size_t FN(summand__sums_forest)(const summand_term *term, bool complex, uint64_t start, T *values)
{
    const struct lines lines = lines_of(term, complex, sizeof(T));
    const size_t count = (size_t)term->count;
    struct FN(stack) stack = {.n = 0};
    for (size_t done = 0, n; done < count; done += n) {
        n = BLOCK - (size_t)((start + done) % BLOCK);
        if (n > count - done)
            n = count - done;
        FN(plant)(&stack, &lines, done, n, start + done);
    }
    for (size_t i = 0; i < stack.n; i++) {
        values[complex ? 2 * i : i] = stack.re[i];
        if (complex)
            values[2 * i + 1] = stack.im[i];
    }
    return stack.n;
}
