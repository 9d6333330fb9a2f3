#include "cli/common/interrupt.h"

#include <mpi.h>
#include <signal.h>

#include "cli/common/cli.h"

/* A signal's handler has nowhere else to write; and what ranks agreed on of it. */
static volatile sig_atomic_t noted;
static bool agreed;

static void note(int signal)
{
    (void)signal;
    noted = 1;
}

void interrupt_listen(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void)
{
    return noted;
}

bool interrupt_agreed(void)
{
    return agreed;
}

double interrupt_agreed_seconds(double start)
{
    double told[2] = {MPI_Wtime() - start, interrupted()};
    MPI_Bcast(told, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    agreed = told[1] > 0;
    return told[0];
}

int interrupt_say(const char *command)
{
    misuse(command, "interrupted: these are the results so far");
    return INTERRUPTED;
}
