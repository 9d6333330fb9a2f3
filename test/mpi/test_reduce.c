/* np: 1 2 3 4 5 8 */
/* Every algorithm x collective, by the table: user operators that do not commute, datatypes with
 * gaps, negative bounds, elements that reach into one another; in place, roots, segments. The whole
 * memory around the buffers is compared. */
#include "mpi/one_call.h"

/* All roots for the first subject; others take turns. The form is drawn, so that each collective
 * has each, in place and not. */
static void check_counts(struct one *c, int all_roots)
{
    static int turn;
    static uint64_t forms = 4;
    static const size_t vectors[] = {0, 1, 7, 40}, blocks[] = {0, 1, 3, 5};
    int rooted = summand__has_root(c->collective);
    for (int i = 0; i < 4; i++)
        for (c->in_place = 0; c->in_place < 2; c->in_place++)
            for (int r = 0; r < (rooted && all_roots ? harness_ranks : 1); r++) {
                c->count = summand__has_blocks(c->collective) ? blocks[i] : vectors[i];
                c->root = !rooted ? 0 : all_roots ? r : turn % harness_ranks;
                turn++;
                c->form = (int)(harness_random(&forms) % 4);
                if (!harness_skips() && !(c->in_place && c->collective == SUMMAND__COLL_BCAST))
                    check(c);
            }
}

static void test_table(const struct subject *subjects)
{
    struct one c = {.s = NULL};
    for (int i = 0; i < SUBJECTS; i++)
        for (int collective = 0; collective < SUMMAND__COLLECTIVES; collective++) {
            c.s = &subjects[i];
            c.collective = (enum summand__collective)collective;
            c.algorithm = NULL;
            check_counts(&c, i == 0);
            for (int a = 0; summand__algorithms[a]; a++) {
                c.algorithm = summand__algorithms[a]->name;
                if (possible(&c, summand__algorithms[a]))
                    check_counts(&c, i == 1);
            }
        }
}

int main(int argc, char **argv)
{
    struct subject subjects[SUBJECTS];
    harness_begin(&argc, &argv);
    make_subjects(subjects);
    test_table(subjects);
    free_subjects(subjects);
    return harness_end();
}
