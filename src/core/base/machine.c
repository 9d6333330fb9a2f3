/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/machine.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Appends a value, after a space if there is text. */
static void append(char *text, size_t room, const char *value)
{
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%s%s", used ? " " : "", value);
}

static bool is_one_of(const char *const *names, const char *line, size_t length)
{
    for (; *names; names++)
        if (strlen(*names) == length && !strncmp(*names, line, length))
            return true;
    return false;
}

struct summand__processor summand__processor_of(FILE *facts)
{
    /* x86; POWER; MIPS; RISC-V. ARM has only numbers. */
    static const char *const names[] = {"model name", "cpu", "cpu model", "uarch", NULL};
    static const char *const kinds[] = {
        "cpu family",   "model",    "stepping",  "CPU implementer", "CPU variant", "CPU part",
        "CPU revision", "revision", "mvendorid", "marchid",         "mimpid",      NULL};
    struct summand__processor processor = {"", ""};
    struct utsname system;
    char line[4096];
    while (facts && fgets(line, sizeof line, facts) && *line != '\n') { /* the first one */
        char *value = strchr(line, ':');
        size_t end = strcspn(line, "\t:");
        if (!value)
            continue;
        while (end && line[end - 1] == ' ')
            end--;
        value += 1 + strspn(value + 1, " ");
        value[strcspn(value, "\n")] = '\0';
        if (!*processor.name && is_one_of(names, line, end))
            append(processor.name, sizeof processor.name, value);
        else if (is_one_of(kinds, line, end))
            append(processor.kind, sizeof processor.kind, value);
    }
    if (!*processor.name)
        append(processor.name, sizeof processor.name, uname(&system) ? "unknown" : system.machine);
    return processor;
}

struct summand__processor summand__processor(void)
{
    FILE *facts = fopen("/proc/cpuinfo", "r");
    struct summand__processor processor = summand__processor_of(facts);
    if (facts)
        fclose(facts);
    return processor;
}

bool summand__affinity(unsigned char mask[SUMMAND__AFFINITY_BYTES])
{
    cpu_set_t set;
    _Static_assert(sizeof set <= SUMMAND__AFFINITY_BYTES, "the set fits");
    memset(mask, 0, SUMMAND__AFFINITY_BYTES);
    if (sched_getaffinity(0, sizeof set, &set))
        return false;
    memcpy(mask, &set, sizeof set);
    return true;
}

/* Reads one line about the cache at a place in the system's list; false if there is none. */
static bool read_cache(int place, const char *what, char *line, int room)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", place, what);
    FILE *file = fopen(path, "r");
    bool read = file && fgets(line, room, file);
    if (file)
        fclose(file);
    return read;
}

/* Bits of a mask such as "00000000,0000ffff". */
static int bits_of(const char *mask)
{
    int bits = 0;
    for (; *mask; mask++) {
        char digit[2] = {*mask, '\0'};
        for (unsigned long value = strtoul(digit, NULL, 16); value; value &= value - 1)
            bits++;
    }
    return bits;
}

static struct summand__last_cache find_last_cache(void)
{
    enum { MOST_CACHES = 16 };
    struct summand__last_cache last = {0, 0};
    char size[32], mask[1024];
    for (int place = 0; place < MOST_CACHES; place++) {
        if (!read_cache(place, "size", size, sizeof size) ||
            !read_cache(place, "shared_cpu_map", mask, sizeof mask))
            break;
        char *unit;
        size_t bytes = strtoul(size, &unit, 10) * (*unit == 'K'   ? 1024u
                                                   : *unit == 'M' ? 1u << 20
                                                                  : 1);
        if (bytes > last.bytes && bits_of(mask))
            last = (struct summand__last_cache){bytes, bits_of(mask)};
    }
    return last;
}

struct summand__last_cache summand__last_cache(void)
{
    static _Atomic size_t bytes;
    static _Atomic int processors = -1; /* not looked up; concurrent look-ups give equal values */
    if (atomic_load(&processors) < 0) {
        struct summand__last_cache last = find_last_cache();
        atomic_store(&bytes, last.bytes);
        atomic_store(&processors, last.processors);
    }
    return (struct summand__last_cache){atomic_load(&bytes), atomic_load(&processors)};
}

int summand__processors(void)
{
    static _Atomic int known; /* 0: not yet; the answer takes as long as some collectives */
    int count = atomic_load_explicit(&known, memory_order_relaxed);
    if (count)
        return count;
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    count = n < 1 ? 1 : (int)n;
    atomic_store_explicit(&known, count, memory_order_relaxed);
    return count;
}

int summand__processors_allowed(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return summand__processors();
    return CPU_COUNT(&set) < 1 ? 1 : CPU_COUNT(&set);
}
