/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank is killed or stopped at any moment: all ranks repeat one operation, and after some
 * milliseconds the last rank kills or stops itself. Each other rank reports the result of its call,
 * "rank 0: timeout", and ends; or "rank 0: HANGS" if none of its calls returns. The reports go to a
 * separate file, because a launcher that has lost a rank may lose the others' output.
 *
 *     SUMMAND_TIMEOUT=2 STRUCK_FILE=FILE STRUCK_SAID=FILE mpiexec ... struck OPERATION kill|stop
 *         MILLISECONDS
 *     struck list
 *
 * FILE: 4096 zeros, through which ranks communicate without the MPI. */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { N = 1000, LONG = 60000, PATIENCE = 30 /* seconds, many times SUMMAND_TIMEOUT */ };

static struct shared {
    atomic_int ended, victim, struck;
} * shared;

static double x[LONG], y[LONG * 4];
static int rank, ranks, strike, said;
static const MPI_Comm world = MPI_COMM_WORLD;

static int allreduce(void)
{
    return summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, world, NULL);
}

static int long_allreduce(void)
{
    return summand_allreduce(x, y, LONG, MPI_DOUBLE, MPI_SUM, world, NULL);
}

static int reduce(void)
{
    return summand_reduce(x, y, LONG, MPI_DOUBLE, MPI_MAX, 0, world, NULL);
}

static int reduce_to_it(void)
{
    return summand_reduce(x, y, N, MPI_DOUBLE, MPI_MAX, ranks - 1, world, NULL);
}

static int bcast(void)
{
    return summand_bcast(x, LONG, MPI_DOUBLE, 0, world, NULL);
}

static int bcast_from_it(void)
{
    return summand_bcast(x, N, MPI_DOUBLE, ranks - 1, world, NULL);
}

static int reduce_scatter(void)
{
    int counts[64];
    for (int r = 0; r < ranks; r++)
        counts[r] = r * 100;
    return summand_reduce_scatter(x, y, counts, MPI_DOUBLE, MPI_SUM, world, NULL);
}

static int reduce_scatter_block(void)
{
    return summand_reduce_scatter_block(x, y, N, MPI_DOUBLE, MPI_SUM, world, NULL);
}

static int allgather(void)
{
    return summand_allgather(x, N, MPI_DOUBLE, y, N, MPI_DOUBLE, world, NULL);
}

static int allgatherv(void)
{
    int counts[64], displacements[64];
    for (int r = 0; r < ranks; r++) {
        counts[r] = 100 + r;
        displacements[r] = 200 * r;
    }
    return summand_allgatherv(x, counts[rank], MPI_DOUBLE, y, counts, displacements, MPI_DOUBLE,
                              world, NULL);
}

static int sum(void)
{
    return summand_sum(x, y, LONG, MPI_DOUBLE, SUMMAND_ROOT_ALL, world, NULL);
}

static int ordered(void)
{
    return summand_ordered_reduce(x, y, N, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM,
                                  SUMMAND_ROOT_ALL, world, NULL);
}

static int gossip(void)
{
    return summand_gossip_allreduce(x, y, 3, MPI_DOUBLE, MPI_SUM, world, NULL, NULL);
}

static int gossip_ticks(void)
{
    summand_gossip_options options = summand_gossip_options_default();
    options.algorithm = "pfcc";
    options.eps = 1e-6;
    return summand_gossip_allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, world, &options, NULL);
}

static int run(summand_plan *plan, int tests)
{
    int code = summand_plan_start(plan);
    for (int done = 0; tests && !done && code == MPI_SUCCESS;)
        code = summand_plan_test(plan, &done);
    return tests || code != MPI_SUCCESS ? code : summand_plan_wait(plan);
}

static int plan(void)
{
    static summand_plan *kept;
    int code = MPI_SUCCESS;
    if (!kept)
        code = summand_allreduce_init(x, y, N, MPI_DOUBLE, MPI_SUM, world, NULL, &kept);
    return code == MPI_SUCCESS ? run(kept, 0) : code;
}

static int plan_tested(void)
{
    static summand_plan *kept;
    int code = MPI_SUCCESS;
    if (!kept)
        code = summand_allgather_init(x, N, MPI_DOUBLE, y, N, MPI_DOUBLE, world, NULL, &kept);
    return code == MPI_SUCCESS ? run(kept, 1) : code;
}

static int plan_made(void)
{
    summand_plan *made = NULL;
    int code = summand_bcast_init(x, N, MPI_DOUBLE, 0, world, NULL, &made);
    summand_plan_free(&made);
    return code;
}

/* The first call on a communicator, which is derived from a used one. */
static int communicator(void)
{
    MPI_Comm comm = world;
    int turn = 0, code = MPI_SUCCESS;
    static MPI_Comm some[32]; /* made before the fault: the MPI's own call may hang there */
    static int made, used;
    for (; !made && turn < 32; turn++) {
        MPI_Comm_dup(world, &some[turn]);
        MPI_Comm_set_errhandler(some[turn], MPI_ERRORS_RETURN);
    }
    made = 1;
    if (used < 32)
        comm = some[used++];
    code = summand_allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
    usleep(1000);
    return code;
}

static int outer(void)
{
    summand_outer_options options = summand_outer_options_default();
    summand_outer_matrix matrix = {.rows = 100, .columns = 50, .a = x, .b = x, .g = y};
    return summand_outer(8, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, world, &options);
}

static summand_matrix *matrices[2];

static int make_matrices(void)
{
    for (int m = 0; m < 2; m++) {
        summand_matrix_shape shape = {.rows = 90,
                                      .columns = 90,
                                      .block_rows = 16 - 3 * m,
                                      .block_columns = 16,
                                      .grid_rows = m ? 1 : ranks,
                                      .grid_columns = m ? ranks : 1};
        int code = matrices[m]
                       ? MPI_SUCCESS
                       : summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, world, &matrices[m]);
        if (code != MPI_SUCCESS)
            return code;
    }
    return MPI_SUCCESS;
}

static int matrix_copy(void)
{
    int code = make_matrices();
    return code == MPI_SUCCESS ? summand_matrix_copy(matrices[0], matrices[1]) : code;
}

static int matrix_norm(void)
{
    double norm;
    int code = make_matrices();
    return code == MPI_SUCCESS ? summand_matrix_norm(matrices[0], SUMMAND_NORM_FROBENIUS, &norm)
                               : code;
}

static int gemm(void)
{
    int code = make_matrices();
    return code == MPI_SUCCESS ? summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_YES, 1,
                                              matrices[0], matrices[0], 0, matrices[1], NULL)
                               : code;
}

static int make_exposed(int rows, int block_rows, summand_matrix **made)
{
    summand_matrix_shape shape = {.rows = rows,
                                  .columns = 8,
                                  .block_rows = block_rows,
                                  .block_columns = 8,
                                  .grid_rows = ranks,
                                  .grid_columns = 1};
    int code = summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, world, made);
    return code == MPI_SUCCESS ? summand_matrix_expose(*made) : code;
}

/* Any rank's elements, read and written without its calls. */
static int matrix_reach(void)
{
    static summand_matrix *exposed;
    int code = exposed ? MPI_SUCCESS : make_exposed(90, 7, &exposed);
    if (code == MPI_SUCCESS)
        code = summand_matrix_store(exposed, 0, rank % 8, 90, 1, x, 90);
    return code == MPI_SUCCESS ? summand_matrix_fetch(exposed, 3, 0, 80, 8, y, 80) : code;
}

static int matrix_expose(void)
{
    summand_matrix *made = NULL;
    int code = make_exposed(9, 2, &made);
    summand_matrix_free(&made);
    return code;
}

static int segment(void)
{
    summand_segment *made = NULL;
    int code = summand_segment_create(100, 1, world, NULL, &made);
    return code == MPI_SUCCESS ? summand_segment_free(&made) : code;
}

/* A ring of puts with notifications. */
static int notify(void)
{
    static summand_segment *segment;
    static uint64_t count;
    int code = segment ? MPI_SUCCESS : summand_segment_create(sizeof x, 2, world, NULL, &segment),
        first = 0;
    if (!count && code == MPI_SUCCESS)
        code = summand_notify_range(2, &first, segment);
    if (code == MPI_SUCCESS)
        code =
            summand_put_notify(x, N * sizeof(double), (rank + 1) % ranks, 0, first, 1, 0, segment);
    if (code == MPI_SUCCESS)
        code = summand_notify_wait((rank + ranks - 1) % ranks, first, ++count,
                                   SUMMAND_TIMEOUT_FOREVER, segment);
    if (code == MPI_SUCCESS)
        code = summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, segment);
    return code;
}

static const struct operation {
    const char *name;
    int (*call)(void);
} operations[] = {{"allreduce", allreduce},
                  {"long_allreduce", long_allreduce},
                  {"reduce", reduce},
                  {"reduce_to_it", reduce_to_it},
                  {"bcast", bcast},
                  {"bcast_from_it", bcast_from_it},
                  {"reduce_scatter", reduce_scatter},
                  {"reduce_scatter_block", reduce_scatter_block},
                  {"allgather", allgather},
                  {"allgatherv", allgatherv},
                  {"sum", sum},
                  {"ordered", ordered},
                  {"gossip", gossip},
                  {"gossip_ticks", gossip_ticks},
                  {"plan", plan},
                  {"plan_tested", plan_tested},
                  {"plan_made", plan_made},
                  {"communicator", communicator},
                  {"outer", outer},
                  {"matrix_copy", matrix_copy},
                  {"matrix_norm", matrix_norm},
                  {"gemm", gemm},
                  {"matrix_reach", matrix_reach},
                  {"matrix_expose", matrix_expose},
                  {"segment", segment},
                  {"notify", notify}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void say(const char *what)
{
    char line[600];
    int length = snprintf(line, sizeof line, "rank %d: %s\n", rank, what);
    if (write(said, line, (size_t)length) < 0)
        _exit(4);
}

/* On the victim, its end; on the others, the end of their wait. */
static void on_alarm(int signal)
{
    (void)signal;
    if (rank == ranks - 1) {
        atomic_store(&shared->struck, 1);
        kill(getpid(), strike);
        return;
    }
    say(atomic_load(&shared->struck) ? "HANGS" : "the victim has never been struck");
    kill(atomic_load(&shared->victim), SIGKILL);
    _exit(1);
}

static void set_alarm(long milliseconds)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval when = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &when, NULL);
}

static const char *word_for(int code)
{
    static char text[MPI_MAX_ERROR_STRING];
    int length;
    if (code == summand_error_code(SUMMAND_ERR_REMOTE))
        return "remote";
    if (code == summand_error_code(SUMMAND_ERR_TIMEOUT))
        return "timeout";
    MPI_Error_string(code, text, &length);
    if (!*text) /* an outcome that is no error */
        snprintf(text, sizeof text, "code %d", code);
    return text;
}

/* Ranks that only send would run ahead, so all meet every fourth turn. */
static int until_it_fails(int (*call)(void))
{
    int code = MPI_SUCCESS;
    for (int turn = 1; code == MPI_SUCCESS; turn++) {
        code = call();
        if (code == MPI_SUCCESS && turn % 4 == 0)
            code = summand_allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, world, NULL);
    }
    return code;
}

int main(int argc, char **argv)
{
    const struct operation *o = operations;
    if (argc == 2)
        for (int k = 0; k < OPERATIONS; k++)
            puts(operations[k].name);
    if (argc != 4)
        return argc == 2 ? 0 : 2;
    while (o < operations + OPERATIONS && strcmp(o->name, argv[1]) != 0)
        o++;
    strike = strcmp(argv[2], "kill") ? SIGSTOP : SIGKILL;
    int file = open(getenv("STRUCK_FILE"), O_RDWR);
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    said = open(getenv("STRUCK_SAID"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (o == operations + OPERATIONS || shared == MAP_FAILED || said < 0)
        return 2;
    MPI_Init(&argc, &argv);
    signal(SIGUSR1, SIG_IGN); /* MPICH's launcher sends it to the other ranks */
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    for (int i = 0; i < LONG; i++)
        x[i] = i;
    if (rank == ranks - 1)
        atomic_store(&shared->victim, getpid());
    MPI_Barrier(world); /* SUMMAND_TIMEOUT runs from the arrival of the first rank */
    int code = o->call();
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING + 64];
        snprintf(text, sizeof text, "does not even work before: %s", word_for(code));
        say(text);
        _exit(1);
    }
    MPI_Barrier(world);
    set_alarm(rank == ranks - 1 ? atol(argv[3]) : PATIENCE * 1000);
    int failed = until_it_fails(o->call);
    set_alarm(0); /* this rank has not hung, whatever the others do */
    say(word_for(failed));
    /* MPI_Finalize would wait for the lost rank. */
    if (atomic_fetch_add(&shared->ended, 1) == ranks - 2)
        kill(atomic_load(&shared->victim), SIGKILL);
    for (int turn = 0; atomic_load(&shared->ended) < ranks - 1 && turn < 10 * PATIENCE; turn++)
        usleep(100000);
    _exit(0);
}
