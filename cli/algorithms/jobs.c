/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/algorithms/jobs.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/ranks/interrupt.h"

enum { NOBODY = -1, TOLD = 128 };

/* Data shared by the workers. */
struct shared {
    atomic_size_t next;
    int worker[]; /* per task: the worker that took it, plus one */
};

struct worker {
    pid_t process;
    char end[TOLD]; /* why it ended early */
};

struct crew {
    const struct jobs *jobs;
    struct shared *shared;
    struct worker *workers;
    int count;     /* started workers */
    bool *through; /* by task */
    size_t done;   /* tasks reported by `done` */
    int pipe[2];   /* carries the numbers of ended tasks */
};

void *jobs_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void jobs_forget(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

static size_t shared_bytes(const struct jobs *jobs)
{
    return sizeof(struct shared) + (jobs->tasks + 1) * sizeof(int);
}

/* Ends without a process's usual exit: stdio buffers belong to the parent. If the parent has ended,
 * nobody reads the pipe, and the write ends the worker too. */
_Noreturn static void be_worker(const struct crew *crew, int worker)
{
    const struct jobs *jobs = crew->jobs;
    close(crew->pipe[0]);
    for (size_t task;
         !interrupted() && (task = atomic_fetch_add(&crew->shared->next, 1)) < jobs->tasks;) {
        crew->shared->worker[task] = worker + 1;
        jobs->work(task, jobs->context);
        ssize_t written;
        do {
            written = write(crew->pipe[1], &task, sizeof task);
        } while (written < 0 && errno == EINTR);
        if (written != (ssize_t)sizeof task)
            _exit(1);
    }
    _exit(0);
}

static bool start_workers(struct crew *crew)
{
    fflush(NULL);
    for (; crew->count < crew->jobs->workers; crew->count++) {
        pid_t process = fork();
        if (!process)
            be_worker(crew, crew->count);
        if (process < 0)
            return complain(crew->jobs->command, "no worker process: %s", strerror(errno)), false;
        crew->workers[crew->count].process = process;
    }
    return true;
}

static void say_done(struct crew *crew)
{
    const struct jobs *jobs = crew->jobs;
    for (; crew->done < jobs->tasks && crew->through[crew->done]; crew->done++)
        jobs->done(crew->done, NULL, jobs->context);
}

/* Reads until no worker has the pipe open. */
static void collect(struct crew *crew)
{
    const struct jobs *jobs = crew->jobs;
    for (;;) {
        size_t task;
        ssize_t got = read(crew->pipe[0], &task, sizeof task);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != (ssize_t)sizeof task)
            return;
        if (interrupted()) /* the workers may not have been interrupted */
            atomic_store(&crew->shared->next, jobs->tasks);
        crew->through[task] = true;
        jobs->through(task, jobs->context);
        say_done(crew);
    }
}

static void wait_for(struct worker *worker)
{
    int status = 0;
    pid_t process;
    do {
        process = waitpid(worker->process, &status, 0);
    } while (process < 0 && errno == EINTR);
    if (process < 0)
        snprintf(worker->end, sizeof worker->end, "is lost: %s", strerror(errno));
    else if (WIFSIGNALED(status))
        snprintf(worker->end, sizeof worker->end, "was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        snprintf(worker->end, sizeof worker->end, "ended with status %d", WEXITSTATUS(status));
}

/* Reports why tasks are left. */
static void say_rest(struct crew *crew)
{
    const struct jobs *jobs = crew->jobs;
    for (; crew->done < jobs->tasks; crew->done++) {
        int worker = crew->shared->worker[crew->done] - 1;
        char why[TOLD + 32] = "no worker process is left";
        if (worker != NOBODY)
            snprintf(why, sizeof why, "the worker process %s", crew->workers[worker].end);
        jobs->done(crew->done, crew->through[crew->done] ? NULL : why, jobs->context);
    }
}

static bool run_crew(struct crew *crew)
{
    bool good = start_workers(crew);
    if (!good)
        atomic_store(&crew->shared->next, crew->jobs->tasks);
    close(crew->pipe[1]);
    if (good)
        collect(crew);
    close(crew->pipe[0]);
    for (int w = 0; w < crew->count; w++)
        wait_for(&crew->workers[w]);
    if (good && !interrupted())
        say_rest(crew);
    return good;
}

bool jobs_run(const struct jobs *jobs)
{
    struct crew crew = {.jobs = jobs, .shared = jobs_memory(shared_bytes(jobs))};
    crew.workers = calloc((size_t)jobs->workers, sizeof *crew.workers);
    crew.through = calloc(jobs->tasks + 1, sizeof *crew.through);
    bool good = false;
    if (!crew.shared || !crew.workers || !crew.through)
        complain(jobs->command, "out of memory");
    else if (pipe(crew.pipe))
        complain(jobs->command, "no pipe: %s", strerror(errno));
    else
        good = run_crew(&crew);
    jobs_forget(crew.shared, shared_bytes(jobs));
    free(crew.workers);
    free(crew.through);
    return good;
}
