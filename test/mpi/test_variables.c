/* np: 1 2 3 */
/* Variables of the environment as a program meets them: a bad value on any rank is an error of the
 * first call on all of them, which names the variable where it is wrong; unknown names are one
 * line on stderr of rank 0, however many communicators there are. So is a launcher that started
 * more processes than MPI_COMM_WORLD has. */
#include <stdlib.h>
#include <summand.h>

#include "harness.h"

static int call(void)
{
    MPI_Comm comm;
    int one = 1, sum = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
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

/* Lines on this rank's stderr of `calls` calls, each on a communicator of its own: those with
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

int main(int argc, char **argv)
{
    setenv("SUMMAND_NOBODY_READS_THIS", "1", 1);
    harness_begin(&argc, &argv);
    /* As another MPI's launcher has it: a program of three ranks. */
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
    return harness_end();
}
