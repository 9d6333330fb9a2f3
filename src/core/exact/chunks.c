/* SPDX-License-Identifier: BSD-3-Clause */
#include "exact/chunks.h"

enum {
    MANY_FAILURES = 3,   /* consecutive failures after which a method is skipped, */
    TRY_AGAIN_EVERY = 32 /* except for every 32nd chunk */
};

/* True if a method that failed for the last chunks should be tried. */
static bool worth_trying(unsigned failures)
{
    return failures < MANY_FAILURES || failures % TRY_AGAIN_EVERY == 0;
}

/* Adds terms that begin with a chunk that the present units do not fit. Returns the number of terms
 * added. */
static size_t add_misfit(struct summand__drive *drive, summand_exact *acc, size_t n, const void *x,
                         const void *y)
{
    const size_t chunk = n < SUMMAND__PASS_CHUNK ? n : SUMMAND__PASS_CHUNK;
    if (drive->ready)
        summand__drive_flush(drive, acc);
    drive->restless++;
    if (worth_trying(drive->stubborn)) {
        drive->ready = summand__drive_start(drive, drive->largest(x, y, chunk), 1);
        if (drive->ready && drive->run(&drive->pass, x, y, chunk) == chunk) {
            drive->stubborn = 0;
            return chunk;
        }
    }
    drive->stubborn++;
    return summand__hard_add(drive, acc, n, x, y);
}

void summand__chunks_add(struct summand__drive *drive, summand_exact *acc, size_t n, const void *x,
                         const void *y)
{
    const size_t size = drive->f32 ? sizeof(float) : sizeof(double);
    const size_t y_size = drive->kind == SUMMAND__PASS_DOT ? size : 0;
    drive->ready = summand__drive_start_like(drive, n, x, y);
    while (n > 0) {
        const size_t chunk = n < SUMMAND__PASS_CHUNK ? n : SUMMAND__PASS_CHUNK;
        size_t done = 0;
        if (drive->ready && worth_trying(drive->restless) && worth_trying(drive->stubborn)) {
            if (drive->pass.room < chunk)
                summand__drive_flush(drive, acc);
            done = drive->run(&drive->pass, x, y, n);
        }
        if (done)
            drive->restless = drive->stubborn = 0;
        else
            done = add_misfit(drive, acc, n, x, y);
        x = (const char *)x + done * size;
        y = y_size ? (const char *)y + done * y_size : y;
        n -= done;
    }
    if (drive->ready)
        summand__drive_flush(drive, acc);
}
