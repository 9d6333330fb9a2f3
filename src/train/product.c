#include "train/product.h"

#include <string.h>

#include "kernel/outer.h"
#include "train/product_blas.h"

/* Terms at a time where an operand is transposed: it then stays in the cache. */
enum { TERMS = 128, TILE = 16 };

size_t train_product_scratch(size_t m, size_t n)
{
    return TERMS * (m + n);
}

/* to[j][i] = from[i][j], by tiles of whole lines of the cache. */
static void transpose(size_t rows, size_t columns, const float *from, size_t ld, float *to)
{
    float tile[TILE][TILE];
    for (size_t i = 0; i < rows; i += TILE)
        for (size_t j = 0; j < columns; j += TILE) {
            size_t m = rows - i < TILE ? rows - i : TILE;
            size_t n = columns - j < TILE ? columns - j : TILE;
            if (m < TILE || n < TILE) {
                for (size_t y = 0; y < n; y++)
                    for (size_t x = 0; x < m; x++)
                        to[(j + y) * rows + i + x] = from[(i + x) * ld + j + y];
                continue;
            }
            for (size_t x = 0; x < TILE; x++)
                for (size_t y = 0; y < TILE; y++)
                    tile[y][x] = from[(i + x) * ld + j + y];
            for (size_t y = 0; y < TILE; y++)
                memcpy(&to[(j + y) * rows + i], tile[y], sizeof tile[y]);
        }
}

static void chain(const struct train_product *p, float *scratch)
{
    struct summand__outer work = {.g = p->c,
                                  .columns = p->n,
                                  .lda = p->lda,
                                  .ldb = p->ldb,
                                  .ldg = p->ldc,
                                  .alpha = p->alpha,
                                  .beta = p->beta};
    bool cut = !p->transposed_a || p->transposed_b;
    float *a = scratch, *b = scratch + TERMS * p->m;
    if (!p->m || !p->n)
        return;
    for (size_t first = 0; first < p->k || !first; first += work.pairs) {
        work.pairs = cut && p->k - first > TERMS ? TERMS : p->k - first;
        work.a = p->a + first * p->lda;
        work.b = p->b + first * p->ldb;
        work.continues = first > 0;
        if (!p->transposed_a) {
            transpose(p->m, work.pairs, p->a + first, p->lda, a);
            work.a = a;
            work.lda = p->m;
        }
        if (p->transposed_b) {
            transpose(p->n, work.pairs, p->b + first, p->ldb, b);
            work.b = b;
            work.ldb = p->n;
        }
        summand__outer_run(SUMMAND__OUTER_F32, &work, 0, p->m);
        if (!p->k)
            break;
    }
}

static const struct train_arithmetic of_chain = {
    "chain", "chains of fused multiply-adds: the same bits on any number of ranks", true, chain};

const struct train_arithmetic *const train_arithmetics[] = {&of_chain, TRAIN_PRODUCT_BLAS NULL};

const struct train_arithmetic *train_arithmetic_find(const char *name)
{
    for (int i = 0; train_arithmetics[i]; i++)
        if (!strcmp(train_arithmetics[i]->name, name))
            return train_arithmetics[i];
    return NULL;
}
