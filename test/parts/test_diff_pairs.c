/* SPDX-License-Identifier: BSD-3-Clause */
/* `summand diff`, as text and as JSON, of all pairs of a table of small programs: each call, with
 * or without a root, with more or fewer calls, other inputs, results and arguments, with and
 * without values, whole and cut, on 1, 2 and 3 ranks. The oracle is the table itself: the exit
 * status, and that no call is left out of the counts. */
#define UNIT_MAIN
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/output/json.h"
#include "shim/core/record_line.h"
#include "unit/unit.h"

extern const struct command command_diff;

enum { MOST_RANKS = 3, CALLS = 3 };

/* Which ranks have an input and a result. */
enum there { ALL, ROOT, NONE };

static const struct kind {
    const char *name, *op;
    long long root;
    enum there input, result;
} kinds[] = {
    {"MPI_Allreduce", "MPI_SUM", -1, ALL, ALL},  {"MPI_Bcast", NULL, 0, ROOT, ALL},
    {"MPI_Bcast", NULL, 1, ROOT, ALL},           {"MPI_Reduce", "MPI_SUM", 0, ALL, ROOT},
    {"MPI_Reduce", "MPI_MAX", 1, ALL, ROOT},     {"MPI_Allgather", NULL, -1, ALL, ALL},
    {"MPI_Allgatherv", NULL, -1, ALL, ALL},      {"MPI_Reduce_scatter_block", "user", -1, ALL, ALL},
    {"MPI_Iallreduce", "MPI_SUM", -1, ALL, NONE}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* How the middle one of three calls differs from that of the plain program. */
static const struct change {
    const char *what;
    int input, result; /* the rank on which it differs, 9: on all, -1: on none */
    long long count;
    int calls; /* 3, or one more or fewer */
    bool values, cut, moved;
    int ranks;
} changes[] = {{"plain", -1, -1, 2, 3, true, false, false, 2},
               {"other site", -1, -1, 2, 3, false, false, true, 2},
               {"input of rank 0", 0, 9, 2, 3, true, false, false, 2},
               {"input of rank 1", 1, 9, 2, 3, false, false, false, 2},
               {"results", -1, 9, 2, 3, true, false, false, 2},
               {"result of rank 1", -1, 1, 2, 3, false, false, false, 2},
               {"count", -1, -1, 3, 3, true, false, false, 2},
               {"a call fewer", -1, -1, 2, 2, false, false, false, 2},
               {"a call more", -1, -1, 2, 4, true, false, false, 2},
               {"cut", -1, -1, 2, 3, false, true, false, 2},
               {"one rank", 0, 9, 2, 3, true, false, false, 1},
               {"three ranks", 0, 9, 2, 4, false, false, true, 3}};
enum { CHANGES = sizeof changes / sizeof *changes };

static struct record_hashed hashed(enum there there, const struct kind *kind, int rank,
                                   bool differs)
{
    const bool here = there == ALL || (there == ROOT && rank == kind->root);
    return (struct record_hashed){here, here ? 17 + differs : 0};
}

static struct record_call call_of(const struct kind *kind, const struct change *change, int rank,
                                  int number)
{
    const bool middle = number == 1;
    return (struct record_call){
        .number = number,
        .name = kind->name,
        .count = middle ? change->count : 2,
        .type = "MPI_DOUBLE",
        .op = kind->op,
        .root = kind->root,
        .input = hashed(kind->input, kind, rank,
                        middle && (change->input == 9 || change->input == rank)),
        .result = hashed(kind->result, kind, rank,
                         middle && (change->result == 9 || change->result == rank)),
        .how = "mpi",
        .site = change->moved ? "f+0x99" : "f+0x10"};
}

static bool is_cut(const struct change *change, int rank)
{
    return change->cut && rank == 1;
}

static int calls_of(const struct change *change, int rank)
{
    return is_cut(change, rank) ? change->calls - 1 : change->calls;
}

static void write_rank(const char *folder, const struct kind *kind, const struct change *change,
                       int rank)
{
    char path[64], line[RECORD_LINE];
    const struct record_communicator world = {.size = change->ranks, .rank = rank, .group = 0xaa};
    snprintf(path, sizeof path, "%s/rank-%05d.txt", folder, rank);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\nrank %d of %d\nprogram app\nmpi M 1\nmode off\n", RECORD_FIRST_LINE, rank,
            change->ranks);
    record_print_communicator(line, sizeof line, &world);
    fputs(line, file);
    for (int number = 0; number < calls_of(change, rank); number++) {
        const struct record_call call = call_of(kind, change, rank, number);
        record_print_call(line, sizeof line, &call);
        fputs(line, file);
        if (change->values && call.input.there)
            fprintf(file, "in 1 %d\n", (int)call.input.hash);
        if (change->values && call.result.there)
            fprintf(file, "out 1 %d\n", (int)call.result.hash);
    }
    if (!is_cut(change, rank))
        fprintf(file, "end %d\n", change->calls);
    fclose(file);
}

static void write_all(void)
{
    char folder[32];
    for (int k = 0; k < KINDS; k++)
        for (int c = 0; c < CHANGES; c++) {
            snprintf(folder, sizeof folder, "%d-%d", k, c);
            assert_int_equal(mkdir(folder, 0700), 0);
            for (int rank = 0; rank < changes[c].ranks; rank++)
                write_rank(folder, &kinds[k], &changes[c], rank);
        }
}

/* Runs the command; its output is left in the file `out`. */
static int diff(char *a, char *b, bool json)
{
    char name[] = "diff", flag[] = "--json";
    char *words[] = {name, flag, a, b, NULL}, *plain[] = {name, a, b, NULL};
    const int screen = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
    fflush(stdout);
    assert_true(freopen("out", "w", stdout) && freopen("err", "w", stderr));
    const int status = command_run(&command_diff, false, json ? 4 : 3, json ? words : plain);
    fflush(stdout);
    fflush(stderr);
    dup2(screen, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    close(screen);
    close(errors);
    return status;
}

static bool same_hash(struct record_hashed a, struct record_hashed b)
{
    return a.there == b.there && a.hash == b.hash;
}

/* The status of runs on the same number of ranks. */
static int expected_status(const struct kind *k, const struct change *a, const struct kind *l,
                           const struct change *b)
{
    bool cut = false;
    for (int rank = 0; rank < a->ranks; rank++) {
        const int both[2] = {calls_of(a, rank), calls_of(b, rank)};
        const int fewer = both[0] < both[1] ? both[0] : both[1];
        for (int n = 0; n < fewer; n++) {
            const struct record_call p = call_of(k, a, rank, n), q = call_of(l, b, rank, n);
            if (strcmp(p.name, q.name) || p.count != q.count || p.root != q.root ||
                strcmp(p.op ? p.op : "", q.op ? q.op : "") || !same_hash(p.input, q.input) ||
                !same_hash(p.result, q.result))
                return 1;
        }
        if ((both[0] > fewer && !is_cut(b, rank)) || (both[1] > fewer && !is_cut(a, rank)))
            return 1;
        cut = cut || is_cut(a, rank) || is_cut(b, rank);
    }
    return cut ? 2 : 0;
}

static void check_text(int status, const char *pair)
{
    char text[1 << 14];
    FILE *file = fopen("out", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    if (strstr(text, "(null)") || (status == 0) != !strncmp(text, "no difference", 13) ||
        (status == 1) != !strncmp(text, "first ", 6))
        fail_msg("%s: status %d: %s", pair, status, text);
}

static long long number_at(const json_t *json, const char *object, const char *key)
{
    const json_t *inside = object ? json_object_get(json, object) : json;
    return (long long)json_integer_value(json_object_get(inside, key));
}

/* What the calls of all compared ranks come to. */
static long long total_calls(const struct change *change, bool all)
{
    long long calls = 0;
    for (int rank = 0; rank < (all ? change->ranks : 1); rank++)
        calls += calls_of(change, rank);
    return calls;
}

static void check_json(int status, const struct change *a, const struct change *b, const char *pair)
{
    json_error_t error;
    json_t *json = json_load_file("out", 0, &error);
    if (!json && HAS_JSON && status != 2)
        fail_msg("%s: no JSON: %s", pair, error.text);
    if (!json)
        return;
    const bool all = a->ranks == b->ranks;
    assert_int_equal(json_is_true(json_object_get(json, "same")), status == 0);
    assert_int_equal(json_is_null(json_object_get(json, "first")), status != 1);
    const struct change *const runs[] = {a, b};
    for (int run = 0; run < 2; run++) {
        const long long counted = number_at(json, NULL, "compared") +
                                  number_at(json, "unmatched", run ? "b" : "a") +
                                  number_at(json, "not_compared", run ? "b" : "a");
        if (counted != total_calls(runs[run], all))
            fail_msg("%s: %lld calls of run %d are counted", pair, counted, run);
    }
    json_decref(json);
}

TEST(test_pairs)
{
    char a[32], b[32], pair[128];
    for (int i = 0; i < KINDS * CHANGES; i++)
        for (int j = 0; j < KINDS * CHANGES; j++) {
            const struct change *p = &changes[i % CHANGES], *q = &changes[j % CHANGES];
            const struct kind *k = &kinds[i / CHANGES], *l = &kinds[j / CHANGES];
            if (k != l && i % CHANGES && j % CHANGES) /* of other calls one program is plain */
                continue;
            snprintf(a, sizeof a, "%d-%d", i / CHANGES, i % CHANGES);
            snprintf(b, sizeof b, "%d-%d", j / CHANGES, j % CHANGES);
            snprintf(pair, sizeof pair, "%s root %lld (%s), %s root %lld (%s)", k->name, k->root,
                     p->what, l->name, l->root, q->what);
            const int status = diff(a, b, false);
            check_text(status, pair);
            if (p->ranks == q->ranks && status != expected_status(k, p, l, q))
                fail_msg("%s: status %d", pair, status);
            if (diff(a, b, true) != status)
                fail_msg("%s: JSON has another status", pair);
            check_json(status, p, q, pair);
        }
}

int main(void)
{
    char folder[] = "/tmp/summand-pairs-XXXXXX", command[64];
    if (!mkdtemp(folder) || chdir(folder))
        return 1;
    write_all();
    const int failed = cmocka_run_group_tests(unit_tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) || failed;
}
