#include "interrupt.h"

#include <mpi.h>
#include <signal.h>

#include "cli.h"

static volatile sig_atomic_t noted;

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

bool interrupted_anywhere(void)
{
    int any = noted;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any)
        noted = 1;
    return any;
}

int interrupt_say(const char *command)
{
    misuse(command, "interrupted: this is what there is so far");
    return 130;
}
