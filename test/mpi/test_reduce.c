/* np: 1 2 3 5 8, long: 4 6 7 9 13; together; also: read/3 stream/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Every algorithm x collective of the table: user operators that do not commute, datatypes with
 * gaps, negative bounds, overlapping elements; in place, roots, segments. Compares all memory
 * around the buffers. On 6, 7, 9 and 13 ranks, one call of each algorithm, collective and subject
 * is drawn, and none is left out with MPICH. */
#include "mpi/one_call.h"

static const size_t vectors[] = {0, 1, 7, 40}, blocks[] = {0, 1, 3, 5};

static void check_one(struct one *c, int size, int root)
{
    static uint64_t forms = 4;
    c->count = (summand__has_blocks(c->collective) ? blocks : vectors)[size];
    if (summand__has_blocks(c->collective) && c->count > (size_t)(COLUMNS / harness_ranks))
        c->count = (size_t)(COLUMNS / harness_ranks); /* beyond, elements of a column overlap */
    c->root = summand__has_root(c->collective) ? root : 0;
    c->form = (int)(harness_random(&forms) % 4);
    if (!(c->in_place && c->collective == SUMMAND__COLL_BCAST))
        check(c);
}

/* All roots for the first subject; other subjects take one in turn. The form is drawn, so that each
 * collective runs in each form, in place or not. */
static void check_counts(struct one *c, int all_roots)
{
    static int turn;
    int each = all_roots && summand__has_root(c->collective);
    for (int i = 0; i < 4; i++)
        for (c->in_place = 0; c->in_place < 2; c->in_place++)
            for (int r = 0; r < (each ? harness_ranks : 1); r++) {
                int root = each ? r : turn % harness_ranks;
                turn++;
                if (!harness_skips())
                    check_one(c, i, root);
            }
}

/* One call with elements, mostly several. */
static void check_drawn(struct one *c)
{
    static uint64_t draws;
    if (!draws)
        draws = harness_seed();
    int size = 1 + (int)(harness_random(&draws) % 5 + 1) / 2;
    c->in_place = c->collective != SUMMAND__COLL_BCAST && harness_random(&draws) % 2;
    check_one(c, size, (int)(harness_random(&draws) % (uint64_t)harness_ranks));
}

static void check_calls(struct one *c, int all_roots)
{
    if (harness_ranks > 5 && harness_ranks != 8)
        check_drawn(c);
    else
        check_counts(c, all_roots);
}

static void test_table(const struct subject *subjects)
{
    struct one c = {.s = NULL};
    for (int i = 0; i < SUBJECTS; i++)
        for (int collective = 0; collective < SUMMAND__MPI_COLLECTIVES; collective++) {
            c.s = &subjects[i];
            c.collective = (enum summand__collective)collective;
            c.algorithm = NULL;
            check_calls(&c, i == 0);
            for (int a = 0; summand__algorithms[a]; a++) {
                c.algorithm = summand__algorithms[a]->name;
                if (possible(&c, summand__algorithms[a]))
                    check_calls(&c, i == 1);
            }
        }
}

TESTS
{
    struct subject subjects[SUBJECTS];
    make_subjects(subjects);
    test_table(subjects);
    free_subjects(subjects);
}
