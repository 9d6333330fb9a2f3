/* np: 2 3, long: 5 8; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A checked call that is repeated tells who computed wrongly, and between which messages: one
 * addition of one rank is wrong, and this rank is named, and no other, whatever the algorithm. */
#include <summand.h>

#include "base/warning.h"
#include "mpi/harness.h"
#include "op/vector.h"

enum { N = 3001 };

static struct summand__operator right; /* of the call */
static int additions, wrong_at;        /* of this rank; which one is wrong, or 0 */
static char told[400];                 /* the last line of this rank */

static void spoil(int *sums, size_t count)
{
    if (++additions == wrong_at)
        sums[count / 2] ^= 64;
}

static void reduce(const void *context, const void *in, void *inout, size_t count)
{
    right.reduce(context, in, inout, count);
    spoil(inout, count);
}

static void combine(const void *context, const void *left, const void *with, void *out,
                    size_t count)
{
    right.combine(context, left, with, out, count);
    spoil(out, count);
}

struct summand__operator __real_summand__vector_operator(struct summand__vector *vector);
struct summand__operator __wrap_summand__vector_operator(struct summand__vector *vector);
struct summand__operator __wrap_summand__vector_operator(struct summand__vector *vector)
{
    struct summand__operator lying = right = __real_summand__vector_operator(vector);
    lying.reduce = reduce;
    lying.combine = combine;
    return lying;
}

void __wrap_summand__tell(const char *words);
void __wrap_summand__tell(const char *words)
{
    snprintf(told, sizeof told, "%s", words);
}

static int x[N], y[N];
static MPI_Comm comm;

enum { ALLREDUCE, REDUCE, SCAN, BLOCK, COLLECTIVES };

static int call(int collective, const char *algorithm, int n)
{
    const summand_options o = {
        .algorithm = algorithm, .check = SUMMAND_CHECKED_CORRECT, .timeout = 100};
    if (collective == ALLREDUCE)
        return summand_allreduce(x, y, n, MPI_INT, MPI_SUM, comm, &o);
    if (collective == REDUCE)
        return summand_reduce(x, y, n, MPI_INT, MPI_SUM, 0, comm, &o);
    if (collective == SCAN)
        return summand_scan(x, y, n, MPI_INT, MPI_SUM, comm, &o);
    return summand_reduce_scatter_block(x, y, n / harness_ranks, MPI_INT, MPI_SUM, comm, &o);
}

static int lies; /* of this rank */

/* Number of the message before which this rank was wrong; 0: behind the last one; -1: not wrong. */
static int told_of(const char *call)
{
    char words[80];
    snprintf(words, sizeof words, "this rank computed a step of %s wrongly, ", call);
    const char *at = strstr(told, words), *before = "before its message ";
    if (!at)
        return -1;
    at += strlen(words);
    return !strncmp(at, before, strlen(before)) ? atoi(at + strlen(before)) : 0;
}

static int test(int collective, const char *algorithm, int n, int liar, int step)
{
    static const char *const names[COLLECTIVES] = {"summand_allreduce", "summand_reduce",
                                                   "summand_scan", "summand_reduce_scatter_block"};
    additions = 0;
    wrong_at = harness_rank == liar ? step : 0;
    *told = 0;
    const int code = call(collective, algorithm, n);
    if (summand_error_of(code) == SUMMAND_ERR_ALGORITHM)
        return 0;
    const int lied = wrong_at && additions >= step, message = told_of(names[collective]);
    CHECK(code == MPI_SUCCESS, "%s by %s: %s", names[collective], algorithm,
          code == MPI_SUCCESS ? "" : summand_error_text(code));
    lies += lied;
    CHECK(lied == (message >= 0), "%s of %d by %s, rank %d, addition %d of %d: %s",
          names[collective], n, algorithm, liar, step, additions, told);
    /* Each addition is behind a message that is received. */
    CHECK(!lied || !message || message > step, "%s by %s, addition %d: %s", names[collective],
          algorithm, step, told);
    /* Here also behind one that is sent; and here a rank sends what it has added. */
    const int power = !(harness_ranks & (harness_ranks - 1));
    if (lied && collective == ALLREDUCE && power && !strcmp(algorithm, "recursive-doubling"))
        CHECK(message == (step == additions / 2 ? 0 : 2 * step + 1), "addition %d of %d: %s", step,
              additions, told);
    if (lied && collective == REDUCE && additions == 2 && !strcmp(algorithm, "chain"))
        CHECK(message == (harness_rank ? 2 : 0), "%s", told);
    return 1;
}

TESTS
{
    static const char *const algorithms[] = {"recursive-doubling",
                                             "recursive-multiplying",
                                             "rabenseifner",
                                             "ring",
                                             "circulant",
                                             "pat",
                                             "binomial",
                                             "chain",
                                             "two-tree",
                                             "dual-root",
                                             "binary",
                                             "fibonacci",
                                             "direct",
                                             "node-binomial",
                                             "node-two-tree",
                                             "scan-halving",
                                             "scan-chain"};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < N; i++)
        x[i] = i * (harness_rank + 7);
    int ran = 0;
    for (int collective = 0; collective < COLLECTIVES; collective++)
        for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
            for (int liar = 0; liar < harness_ranks; liar++) {
                const int step = 1 + (liar + (int)a) % (harness_ranks > 3 ? 3 : 2);
                ran +=
                    test(collective, algorithms[a], step == 2 ? 5 * harness_ranks : N, liar, step);
            }
    CHECK(ran > 20 * harness_ranks, "%d", ran);
    CHECK(lies > 0, "no addition was wrong");
    MPI_Comm_free(&comm);
}
