/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/draw.h"

#include <pthread.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* If the system gives no random numbers: hashes the time and an address. */
static uint64_t random_word(void)
{
    uint64_t word;
    if (getrandom(&word, sizeof word, 0) == sizeof word)
        return word;
    return summand__spread(summand__spread(nanoseconds()) ^ (uint64_t)(uintptr_t)&word);
}

uint64_t summand__draw(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t first, drawn;
    pthread_mutex_lock(&lock);
    if (!drawn)
        first = random_word();
    uint64_t word = first + summand__spread(++drawn) +
                    summand__spread((uint64_t)getpid() << 32); /* a fork draws others */
    pthread_mutex_unlock(&lock);
    return summand__spread(word);
}

void summand__draw_id(uint64_t newest, uint64_t id[2])
{
    id[0] = nanoseconds();
    if (id[0] <= newest)
        id[0] = newest + 1;
    id[1] = summand__draw();
}
