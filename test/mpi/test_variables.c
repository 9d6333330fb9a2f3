/* np: 1 2 3; brief; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings in a program. A bad variable of the environment on any rank is an error of the first
 * call on all ranks, which names the variable on the rank that has it. Unknown names give one line
 * on stderr of rank 0, for any number of communicators. So does a launcher that started more
 * processes than MPI_COMM_WORLD has. The program's own settings win. An unusable or late setting is
 * refused with an error text. */
#include <stdlib.h>
#include <summand.h>

#include "harness.h"

static int call(void)
{
    int one = 1, sum = 0;
    MPI_Comm comm = harness_comm();
    int code = summand_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, NULL);
    CHECK(code != MPI_SUCCESS || sum == harness_ranks, "sum %d", sum);
    MPI_Comm_free(&comm);
    return code;
}

static void check_bad_value(const char *name, const char *value, int culprit)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, class;
    if (harness_rank == culprit)
        setenv(name, value, 1);
    int code = call();
    CHECK(code != MPI_SUCCESS, "%s=%s on rank %d", name, value, culprit);
    MPI_Error_class(code, &class);
    CHECK(class == summand_error_class(), "class %d", class);
    if (harness_rank == culprit) {
        CHECK(code == summand_error_code(SUMMAND_ERR_ENVIRONMENT), "code %d", code);
        MPI_Error_string(code, text, &length);
        CHECK(strstr(text, name) && strstr(text, value), "%s", text);
    }
    unsetenv(name);
    CHECK(call() == MPI_SUCCESS, "after %s=%s", name, value);
}

/* Lines on this rank's stderr during `calls` calls, each on a new communicator: those with
 * `unknown`, and those with `apart`. */
struct lines {
    int unknown, apart;
};

static struct lines lines_said(int calls)
{
    struct lines lines = {0, 0};
    char text[4096];
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    for (int i = 0; i < calls; i++)
        CHECK(call() == MPI_SUCCESS, "call %d", i);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    while (fgets(text, sizeof text, file)) {
        lines.unknown += strstr(text, "SUMMAND_NOBODY") != NULL;
        lines.apart += strstr(text, "started 3 processes") && strstr(text, "is alone");
    }
    fclose(file);
    return lines;
}

/* A call to summand_setting_set that is refused, with these words. */
static void check_refused(const char *name, const char *value, int code, const char *words)
{
    int got = summand_setting_set(name, value);
    const char *text = summand_error_text(got);
    CHECK(got == code, "%s=%s: code %d", name, value, got);
    CHECK(strstr(text, words), "%s", text);
}

/* Before MPI_Init, when Summand has no error codes. */
static void check_before_init(void)
{
    check_refused("SUMMAND_TIMEOT", "1", MPI_ERR_ARG, "did you mean 'SUMMAND_TIMEOUT'?");
    check_refused("PATH", "/", MPI_ERR_ARG, "name is 'PATH', no setting");
    check_refused("SUMMAND_CHECK", "yes", MPI_ERR_ARG, "'yes' is none of off|on");
    CHECK(summand_setting_set("SUMMAND_STALL", "2.5") == MPI_SUCCESS, "before MPI_Init");
}

static void check_value(const char *name, const char *want, enum summand_setting_from where)
{
    enum summand_setting_from from;
    const char *value = summand_setting_value(name, &from);
    CHECK(from == where && !value == !want && (!want || !strcmp(value, want)), "%s: %s from %d",
          name, value ? value : "nothing", from);
}

/* The name of the transport of a plan on a new communicator. */
static void check_transport(const char *want)
{
    const char *transport = "none";
    int one = 1, sum;
    summand_options options;
    summand_plan *plan;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(!summand_allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, comm, NULL, &plan), "plan");
    summand_plan_describe(plan, &options, &transport);
    CHECK(!strcmp(transport, want) || harness_ranks == 1, "%s, not %s", transport, want);
    summand_plan_free(&plan);
    MPI_Comm_free(&comm);
}

/* The environment of this test has SUMMAND_TRANSPORT=shm. */
static void check_program_wins(void)
{
    int argument = summand_error_code(SUMMAND_ERR_ARGUMENT);
    check_value("SUMMAND_STALL", "2.5", SUMMAND_SETTING_PROGRAM);
    check_value("SUMMAND_TRANSPORT", "shm", SUMMAND_SETTING_ENVIRONMENT);
    check_value("SUMMAND_NODE_SIZE", NULL, SUMMAND_SETTING_DEFAULT);
    check_value("SUMMAND_NOBODY", NULL, SUMMAND_SETTING_DEFAULT);
    check_transport("shm");
    if (!harness_rank) /* rank 0's value counts */
        CHECK(!summand_setting_set("SUMMAND_TRANSPORT", "p2p"), "set");
    check_transport("p2p");
    check_value("SUMMAND_TRANSPORT", harness_rank ? "shm" : "p2p",
                harness_rank ? SUMMAND_SETTING_ENVIRONMENT : SUMMAND_SETTING_PROGRAM);
    check_refused("SUMMAND_TRANSPORT", "tcp", argument, "'tcp' is none of auto|p2p|shm|gpi2");
    check_refused("SUMMAND_NODE_SIZE", "0", argument, "'0' is not an integer from 1 to 2147483647");
    check_refused(NULL, "1", argument, "name is NULL");
    check_transport("p2p");
    summand_setting_set("SUMMAND_TRANSPORT", NULL);
    check_transport("shm");
    summand_setting_set("SUMMAND_STALL", "");
    setenv("SUMMAND_STALL", "7", 1);
    check_value("SUMMAND_STALL", NULL, SUMMAND_SETTING_DEFAULT); /* the program's: the default */
    summand_setting_set("SUMMAND_STALL", NULL);
    check_value("SUMMAND_STALL", "7", SUMMAND_SETTING_ENVIRONMENT);
    unsetenv("SUMMAND_STALL");
}

/* The earlier calls have chosen an instruction set. */
static void check_late(void)
{
    int argument = summand_error_code(SUMMAND_ERR_ARGUMENT);
    int neon = summand_setting_set("SUMMAND_ARCH", "neon"); /* no processor has both */
    int avx2 = summand_setting_set("SUMMAND_ARCH", "avx2");
    CHECK(neon == argument || avx2 == argument, "codes %d and %d", neon, avx2);
    check_refused("SUMMAND_ARCH", "generic", summand_error_code(SUMMAND_ERR_ENVIRONMENT),
                  "'generic' comes too late");
    check_refused("SUMMAND_ARCH", "pdp11", argument, "none of");
    check_value("SUMMAND_ARCH", NULL, SUMMAND_SETTING_DEFAULT);
    check_bad_value("SUMMAND_ARCH", "generic", harness_ranks - 1); /* the environment's, too */
}

/* The number is the text's. */
static void check_version(void)
{
    int major = -1, minor = -1, patch = -1, number = summand_version_number();
    int read = sscanf(summand_version(), "%d.%d.%d", &major, &minor, &patch);
    CHECK(read == 3 && number == 10000 * major + 100 * minor + patch && number == SUMMAND_VERSION,
          "%s is %d", summand_version(), number);
}

/* Each row of the table is found by its name, and can be set to its own value. */
static void check_list(void)
{
    const summand_setting *setting;
    const summand_algorithm *algorithm;
    int i, binomial = 0;
    for (i = 0; (setting = summand_setting_at(i)); i++) {
        CHECK(!strncmp(setting->name, "SUMMAND_", 8) && *setting->allowed && *setting->standard &&
                  *setting->meaning,
              "%s", setting->name);
        const char *value = summand_setting_value(setting->name, NULL);
        CHECK(!summand_setting_set(setting->name, value ? value : ""), "%s", setting->name);
        CHECK(!summand_setting_set(setting->name, NULL), "%s", setting->name);
    }
    CHECK(i > 10 && !summand_setting_at(-1) && !summand_setting_at(i + 1), "%d settings", i);
    for (i = 0; (algorithm = summand_algorithm_at(i)); i++) {
        CHECK(*algorithm->name && *algorithm->description && *algorithm->source &&
                  *algorithm->collectives,
              "algorithm %d", i);
        binomial += !strcmp(algorithm->name, "binomial");
    }
    CHECK(binomial == 1 && !summand_algorithm_at(-1) && !summand_algorithm_at(i + 1), "%d", i);
}

int main(int argc, char **argv)
{
    check_before_init();
    setenv("SUMMAND_NOBODY_READS_THIS", "1", 1);
    harness_begin(&argc, &argv);
    /* As with another MPI's launcher: a program of three ranks. */
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    struct lines lines = lines_said(3);
    CHECK(lines.unknown == (harness_rank == 0), "%d lines", lines.unknown);
    CHECK(lines.apart == (harness_ranks == 1), "%d ranks: told %d times", harness_ranks,
          lines.apart);
    unsetenv("SUMMAND_NOBODY_READS_THIS");
    for (int culprit = 0; culprit < harness_ranks; culprit++) {
        check_bad_value("SUMMAND_NODE_SIZE", "half", culprit);
        check_bad_value("SUMMAND_NODE_SIZE", "-3", culprit);
        check_bad_value("SUMMAND_ARCH", "pdp11", culprit);
        check_bad_value("SUMMAND_WARNINGS", "perhaps", culprit);
    }
    check_program_wins();
    check_late();
    check_list();
    check_version();
    return harness_end();
}
