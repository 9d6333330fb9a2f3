#include "cli/common/agree.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/common/cli.h"

void trouble_note(struct trouble *trouble, const char *format, ...)
{
    if (trouble->text[0])
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(trouble->text, sizeof trouble->text, format, list);
    va_end(list);
}

void trouble_note_mpi(struct trouble *trouble, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, text, &length);
    trouble_note(trouble, "%s: %s", what, text);
}

/* The lowest rank that is not fine; how many ranks there are if all are. */
static int first_in_trouble(bool fine)
{
    int rank, ranks, first;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int mine = fine ? ranks : rank;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first;
}

bool agree_fine(bool fine)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return first_in_trouble(fine) == ranks;
}

bool agree(const char *command, const struct trouble *trouble)
{
    int rank, ranks, first = first_in_trouble(!trouble->text[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (first == rank)
        complain(command, "%s", trouble->text);
    return first == ranks;
}
