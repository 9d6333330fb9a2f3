#include "cli/common/interrupt.h"

#include <signal.h>

#include "cli/common/cli.h"

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

static bool agreed;

bool interrupt_agreed(void)
{
    return agreed;
}

void interrupt_agree(bool told)
{
    agreed = told;
}

int interrupt_say(const char *command)
{
    misuse(command, "interrupted: this is what there is so far");
    return 130;
}
