/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/ranks/interrupt.h"

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "cli/common/cli.h"
#include "cli/output/stdout.h"

/* Nanoseconds in which the ranks may end by agreement: less than Open MPI's launcher gives them. */
enum { PATIENCE = 300000000 };

/* A signal handler can write nowhere else; then the flag on which the ranks agreed. */
static volatile sig_atomic_t noted;
static bool agreed;

/* The thread that answers in place of the ranks. Ctrl-C concerns a whole process: the handler wakes
 * the thread. */
static struct {
    sem_t woken;
    pthread_t thread;
    pthread_mutex_t lock;
    bool listens, over, told; /* the thread runs; no answer is needed any more; it was given */
    const char *command;
    struct interrupt_answer how;
} answer = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void note(int signal)
{
    (void)signal;
    noted = 1;
    if (answer.listens)
        sem_post(&answer.woken);
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

static void say(const char *command)
{
    complain(command, "interrupted: these are the results so far");
}

int interrupt_say(const char *command)
{
    if (cli_rank() == 0 && !answer.told)
        say(command);
    return INTERRUPTED;
}

static void *wait_and_answer(void *unused)
{
    const struct timespec patience = {0, PATIENCE};
    (void)unused;
    while (sem_wait(&answer.woken) && errno == EINTR)
        ;
    if (interrupted())
        nanosleep(&patience, NULL);
    interrupt_hold();
    if (interrupted() && !answer.over && answer.how.any(answer.how.context)) {
        answer.told = true;
        say(answer.command);
        answer.how.print(answer.how.context);
        stdout_flush();
    }
    interrupt_release();
    return NULL;
}

void interrupt_answer(const char *command, struct interrupt_answer how)
{
    answer.command = command;
    answer.how = how;
    answer.over = answer.told = false;
    /* Without the thread the ranks still answer if they are in time. */
    answer.listens = cli_rank() == 0 && !sem_init(&answer.woken, 0, 0) &&
                     !pthread_create(&answer.thread, NULL, wait_and_answer, NULL);
    interrupt_listen();
}

void interrupt_hold(void)
{
    pthread_mutex_lock(&answer.lock);
}

void interrupt_release(void)
{
    pthread_mutex_unlock(&answer.lock);
}

bool interrupt_answered(void)
{
    interrupt_hold();
    answer.over = true;
    interrupt_release();
    if (answer.listens) {
        sem_post(&answer.woken); /* a later signal may still post: the semaphore is not destroyed */
        pthread_join(answer.thread, NULL);
        answer.listens = false;
    }
    return answer.told;
}
