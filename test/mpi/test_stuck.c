/* np: 2 3; sleeper */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that waits for a long time reports this once: its call, the ranks that it waits for and,
 * if shared memory shows it, their state. It continues to wait, and gets the right result. */
#include <fcntl.h>
#include <signal.h>
#include <summand.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "comm/state.h"
#include "mpi/harness.h"

enum { N = 10 };

static double x[N], y[N];
static char path[64];
static int own_stderr;

/* Lines of all ranks go to one file: each write appends one line. */
static void capture(void)
{
    strcpy(path, "/tmp/summand-stuck-XXXXXX");
    if (harness_rank == 0)
        close(mkstemp(path));
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    int file = open(path, O_WRONLY | O_APPEND);
    own_stderr = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    close(file);
}

static void release(void)
{
    dup2(own_stderr, STDERR_FILENO);
    close(own_stderr);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void remove_captured(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (harness_rank == 0)
        unlink(path);
}

static const char *captured(void)
{
    static char text[65536];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = 0;
    if (file)
        fclose(file);
    return text;
}

/* Returns a rank's line, in static memory, and counts its lines. */
static const char *line_of(int rank, int *count)
{
    static char line[2048];
    char begin[64];
    snprintf(begin, sizeof begin, "summand: rank %d of %d on ", rank, harness_ranks);
    *count = 0;
    line[0] = 0;
    for (const char *at = captured(); (at = strstr(at, begin)); at++) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        ++*count;
    }
    return line;
}

/* SUMMAND_STALL is at least a second: the first case waits that long, the others half as long. A
 * shorter time is not safe: if a busy machine delays a rank that long again, after the late one has
 * come, there is a second line. Turns of ten busy processes on one core last 30 ms. */
static double stall = 1;

static void shorten_stall(struct summand__state *state)
{
    stall = state->channel.stall = 0.5;
}

static void nap(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static int all_have_spoken(void)
{
    int count = 1;
    for (int rank = 0; rank < harness_ranks - 1 && count; rank++)
        line_of(rank, &count);
    return count > 0;
}

/* At most a minute: a silent rank is a failure. */
static void await_lines(void)
{
    for (int turn = 0; turn < 600 && !all_have_spoken(); turn++)
        nap(0.1);
}

static void check_result(int code)
{
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += y[i] != x[i] * harness_ranks;
    CHECK(code == MPI_SUCCESS && !wrong, "code %d, %d wrong", code, wrong);
}

/* Each rank except the last has one line, with these words. Ranks that wait for the last one and
 * share its memory report its state: rank 0 does if there are two ranks. */
static void check_lines(const char *call, const char *place, int near)
{
    char last[64], host[65] = "", on_host[80];
    gethostname(host, sizeof host - 1);
    snprintf(on_host, sizeof on_host, " on %s (process ", host);
    snprintf(last, sizeof last, ". Rank %d %s", harness_ranks - 1, place);
    for (int rank = 0, count; rank < harness_ranks - 1; rank++) {
        const char *line = line_of(rank, &count);
        CHECK(count == 1, "rank %d: %d lines", rank, count);
        CHECK(strstr(line, on_host) && strstr(line, " has waited "), "'%s' lacks '%s'", line,
              on_host);
        CHECK(strstr(line, call), "'%s' lacks '%s'", line, call);
        CHECK(strstr(line, ", for rank"), "%s", line);
        if (harness_ranks == 2)
            CHECK(strstr(line, ", for rank 1") && !strstr(line, last) == !near, "%s", line);
        CHECK(!near || strstr(line, "SUMMAND_CHECK=on") || strstr(line, "segment of"), "%s", line);
    }
}

/* All ranks except the last make the call; the last one comes some time after their reports. */
static void test_late(int (*call)(MPI_Comm comm), MPI_Comm comm, const char *words,
                      const char *place, int near)
{
    int late = harness_rank == harness_ranks - 1;
    MPI_Barrier(comm);
    capture();
    if (late) {
        await_lines();
        nap(1.5 * stall); /* there is no second line */
    }
    int code = call(comm);
    release();
    check_lines(words, place, near);
    remove_captured();
    check_result(code);
}

static int allreduce(MPI_Comm comm)
{
    return summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

static int ordered(MPI_Comm comm)
{
    double sum = 0, want = 0;
    int code = summand_ordered_reduce(x, &sum, N, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM,
                                      SUMMAND_ROOT_ALL, comm, NULL);
    for (int i = 0; i < N; i++) {
        want += x[i] * harness_ranks;
        y[i] = x[i] * harness_ranks;
    }
    return code == MPI_SUCCESS && sum != want ? MPI_ERR_OTHER : code;
}

static summand_plan *plan;

static int run_plan(MPI_Comm comm)
{
    (void)comm;
    int code = summand_plan_start(plan);
    return code == MPI_SUCCESS ? summand_plan_wait(plan) : code;
}

static int test_plan(MPI_Comm comm)
{
    (void)comm;
    int code = summand_plan_start(plan);
    for (int done = 0; !done && code == MPI_SUCCESS;)
        code = summand_plan_test(plan, &done);
    return code;
}

static summand_segment *segment;

/* The last rank notifies all others. */
static int notify(MPI_Comm comm)
{
    const int last = harness_ranks - 1;
    int code = MPI_SUCCESS;
    (void)comm;
    for (int rank = 0; rank < last && harness_rank == last && code == MPI_SUCCESS; rank++)
        code = summand_put_notify(x, sizeof *x, rank, 0, 0, 1, 0, segment);
    return harness_rank == last || code != MPI_SUCCESS
               ? code
               : summand_notify_wait(last, 0, 1, SUMMAND_TIMEOUT_FOREVER, segment);
}

static void test_notify(MPI_Comm comm, int near)
{
    char words[128];
    int first = -1, code = summand_segment_create(sizeof *x, 1, comm, NULL, &segment);
    CHECK(code == MPI_SUCCESS, "segment: %d", code);
    code = summand_notify_range(1, &first, segment);
    CHECK(code == MPI_SUCCESS && first == 0, "range: %d", code);
    snprintf(words, sizeof words,
             " in summand_notify_wait, id 0 of rank %d, value 1, in the segment of call 5, "
             "summand_segment_create, for",
             harness_ranks - 1);
    test_late(notify, comm, words,
              "has left call 6, summand_notify_range, and waits in no other, for ", near);
    summand_segment_free(&segment);
}

/* The last rank is stopped. Rank 0 continues it after all others have reported that they wait for
 * it. */
static int allreduce_while_stopped(MPI_Comm comm)
{
    pid_t process = getpid();
    MPI_Bcast(&process, sizeof process, MPI_BYTE, harness_ranks - 1, comm);
    if (harness_rank == harness_ranks - 1)
        raise(SIGSTOP);
    int code = summand_plan_start(plan);
    for (int done = 0, told = 0; !done && code == MPI_SUCCESS;) {
        code = summand_plan_test(plan, &done);
        if (harness_rank == 0 && !told && (told = all_have_spoken()))
            kill(process, SIGCONT);
    }
    return code;
}

static void test_stopped(MPI_Comm comm, int near)
{
    MPI_Barrier(comm);
    capture();
    int code = allreduce_while_stopped(comm);
    release();
    check_lines("plan of call ", "has left call ", near);
    remove_captured();
    check_result(code);
}

/* A process exists while it runs. It does not after its end, whether its parent has waited for it
 * or not, nor if another process got its number. */
static void test_gone(void)
{
    siginfo_t info;
    struct summand__presence *other =
        mmap(NULL, sizeof *other, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (!child) {
        summand__presence_begin(other);
        for (;;)
            pause();
    }
    CHECK(child > 0, "fork");
    while (!atomic_load(&other->started))
        nap(0.001);
    CHECK(!summand__presence_gone(other), "a running process");
    atomic_fetch_add(&other->started, 1);
    CHECK(summand__presence_gone(other), "another process of that number");
    atomic_fetch_sub(&other->started, 1);
    kill(child, SIGKILL);
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    CHECK(summand__presence_gone(other), "a process that has ended");
    waitpid(child, NULL, 0);
    CHECK(summand__presence_gone(other), "a process that is no more");
    munmap(other, sizeof *other);
}

TESTS
{
    struct summand__state *state;
    setenv("SUMMAND_STALL", "1", 1);
    setenv("SUMMAND_WARNINGS", "off", 1); /* which is about other things */
    if (!harness_rank)
        test_gone();
    MPI_Comm comm = harness_comm();
    for (int i = 0; i < N; i++)
        x[i] = i + 1;
    check_result(allreduce(comm));
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS, "state");
    CHECK(state->channel.stall == stall, "stalls after %g s", state->channel.stall);
    int near = state->segment && state->segment->whole;
    test_late(allreduce, comm, " in call 2, summand_allreduce, 10 MPI_DOUBLE, MPI_SUM, for",
              "has left call 1, summand_allreduce, and waits in no other, for ", near);
    shorten_stall(state);
    test_late(ordered, comm, " in call 3, summand_ordered_reduce, for",
              "has left call 2, summand_allreduce, and waits in no other, for ", near);
    summand_allreduce_init(x, y, N, MPI_DOUBLE, MPI_SUM, comm, NULL, &plan);
    test_late(run_plan, comm,
              " for the plan of call 4, summand_allreduce_init, 10 MPI_DOUBLE, MPI_SUM, for",
              "has left call 4, summand_allreduce_init", near);
    test_late(test_plan, comm,
              "plan of call 4, summand_allreduce_init, 10 MPI_DOUBLE, MPI_SUM, for",
              "has left call 4 and 1, summand_plan_start", near);
    test_stopped(comm, near);
    test_notify(comm, near);
    summand_plan_free(&plan);
    MPI_Comm_free(&comm);
}
