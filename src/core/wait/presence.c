/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait/presence.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void summand__call_name(unsigned call, char *name, size_t room)
{
    static const char *const others[SUMMAND__ENTERED_CALLS] = {
#define SUMMAND__CALL_NAME(word, name) [SUMMAND__ENTERED_##word] = name,
        SUMMAND__CALLS(SUMMAND__CALL_NAME)
#undef SUMMAND__CALL_NAME
    };
    unsigned kind = call % SUMMAND__ENTERED_INIT, which = kind - SUMMAND__ENTERED_COLLECTIVE;
    const char *known = kind < SUMMAND__ENTERED_CALLS ? others[kind] : NULL;
    if (which < SUMMAND__COLLECTIVES)
        known = summand__collectives[which].call;
    snprintf(name, room, "%s%s", known ? known : "no call",
             call & SUMMAND__ENTERED_INIT ? "_init" : "");
}

/* A process number may be reused, but not together with its start time. */
struct process {
    char state;
    uint64_t started; /* clock ticks since the machine was started */
};

/* False if there is no such process, with ENOENT or ESRCH in errno. */
static bool read_process(uint64_t number, struct process *process)
{
    enum { START_TIME = 22, STATE = 3 }; /* fields, from 1 on: proc(5) */
    char path[64], text[1024];
    /* Of its first thread: an emulator of another processor (qemu-user) has times of its own in the
     * process's file. */
    snprintf(path, sizeof path, "/proc/%llu/task/%llu/stat", (unsigned long long)number,
             (unsigned long long)number);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    errno = 0;
    size_t length = fread(text, 1, sizeof text - 1, file);
    int error = errno;
    fclose(file);
    errno = error;
    text[length] = 0;
    char *at = strrchr(text, ')'); /* the program's name may hold any character */
    if (!at || !at[1])
        return false;
    process->state = at[2];
    at += 2;
    for (int field = STATE; field < START_TIME && at; field++)
        at = (at = strchr(at, ' ')) ? at + 1 : NULL;
    process->started = at ? strtoull(at, NULL, 10) : 0;
    return process->started > 0;
}

uint64_t summand__presence_space(void)
{
    struct stat status;
    char text[32];
    ssize_t length = readlink("/proc/self", text, sizeof text - 1);
    if (length <= 0 || stat("/proc/self/ns/pid", &status))
        return 0;
    text[length] = 0;
    return strtoll(text, NULL, 10) == (long long)getpid() ? (uint64_t)status.st_ino : 0;
}

void summand__presence_forget(struct summand__presence *own)
{
    atomic_store(&own->started, 0);
    atomic_store(&own->entered, 0);
    atomic_store(&own->waiting, 0);
    atomic_store(&own->left_agreement, 0);
    atomic_store(&own->left, 0);
}

void summand__presence_begin(struct summand__presence *own)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct process process;
    static uint64_t number, space; /* number: that of `process` and `space`; a fork has others */
    pthread_mutex_lock(&lock);
    if (number != (uint64_t)getpid()) {
        number = (uint64_t)getpid();
        space = read_process(number, &process) ? summand__presence_space() : 0;
    }
    own->process = number;
    own->space = space;
    atomic_store_explicit(&own->started, space ? process.started : 0, memory_order_release);
    pthread_mutex_unlock(&lock);
}

bool summand__presence_gone(const struct summand__presence *other)
{
    uint64_t started = atomic_load_explicit(&other->started, memory_order_acquire);
    struct process process;
    if (!started || other->space != summand__presence_space())
        return false;
    if (read_process(other->process, &process))
        return process.started != started || process.state == 'Z' || process.state == 'X';
    /* Files of /proc may be hidden from this user. */
    return (errno == ENOENT || errno == ESRCH) && kill((pid_t)other->process, 0) && errno == ESRCH;
}
