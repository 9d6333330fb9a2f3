/* SPDX-License-Identifier: BSD-3-Clause */
#include "calibrate/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/hash.h"
#include "base/input.h"
#include "base/machine.h"
#include "base/output.h"
#include "base/quiet.h"

enum { LONGEST = 4096 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char this_machine[SUMMAND__MACHINE_KEY];

/* Reads some system files. */
static void describe(void)
{
    const struct summand__processor processor = summand__processor();
    struct utsname system;
    struct summand__last_cache cache = summand__last_cache();
    snprintf(this_machine, sizeof this_machine,
             "%s (%s), %d on line, last cache %zu KiB for %d, %.64s", processor.name,
             processor.kind, summand__processors(), cache.bytes / 1024, cache.processors,
             uname(&system) ? "unknown system" : system.release);
}

void summand__calibration_machine(char text[SUMMAND__MACHINE_KEY])
{
    pthread_once(&once, describe);
    memcpy(text, this_machine, sizeof this_machine);
}

int summand__calibration_distance(int64_t line)
{
    int distance = 0;
    while (distance < SUMMAND__DISTANCES - 1 && line >> (distance + 1))
        distance++;
    return distance;
}

/* The beginning of all paths of this machine. */
static bool begin_of_paths(char path[PATH_MAX])
{
    char machine[SUMMAND__MACHINE_KEY];
    const char *folder = summand__environment_foreign("XDG_CACHE_HOME"), *below = "";
    if (!folder || *folder != '/') {
        folder = summand__environment_foreign("HOME");
        below = "/.cache";
    }
    if (!folder || *folder != '/')
        return false;
    summand__calibration_machine(machine);
    int used = snprintf(path, PATH_MAX, "%s%s/summand/calibration-%016" PRIx64 "-", folder, below,
                        summand__hash_text(machine));
    return used > 0 && used < PATH_MAX;
}

bool summand__calibration_path(int distance, unsigned slots, char path[PATH_MAX])
{
    if (!begin_of_paths(path))
        return false;
    const size_t used = strlen(path), room = PATH_MAX - used;
    return snprintf(path + used, room, "%dns-%u", 1 << distance, slots) < (int)room;
}

bool summand__calibration_path_of(const struct summand__calibration *calibration, unsigned slots,
                                  char path[PATH_MAX])
{
    return summand__calibration_path(
        summand__calibration_distance(calibration->value[SUMMAND__LINE_TIME]), slots, path);
}

bool summand__calibration_keepable(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0'; /* .../summand */
    char *last = strrchr(folder, '/');
    *last = '\0'; /* the cache; a home is not made */
    bool there = !mkdir(folder, 0700) || errno == EEXIST;
    *last = '/';
    there = there && (!mkdir(folder, 0700) || errno == EEXIST);
    return there && !access(folder, W_OK | X_OK);
}

static bool read_text(const char *path, char *text, const char **fault)
{
    uint64_t bytes;
    const int descriptor = summand__input_open(path, &bytes, fault);
    ssize_t got = -1;
    size_t used = 0;
    if (descriptor < 0)
        return false;
    while (used < LONGEST && (got = read(descriptor, text + used, LONGEST - used)) > 0)
        used += (size_t)got;
    if (got < 0)
        *fault = summand__reason(errno);
    close(descriptor);
    text[used] = '\0';
    if (used == LONGEST || (!got && strlen(text) != used))
        *fault = "no calibration";
    return !got && used < LONGEST && strlen(text) == used;
}

bool summand__calibration_load(const char *path, const char *machine,
                               struct summand__calibration *calibration, const char **fault)
{
    char text[LONGEST + 1], from[SUMMAND__MACHINE_KEY];
    *calibration = summand__calibration_standard();
    if (!read_text(path, text, fault))
        return false;
    bool good = summand__calibration_parse(text, calibration, from, sizeof from);
    *fault = good ? NULL : "no calibration";
    if (good && machine && strcmp(from, machine) != 0) {
        *calibration = summand__calibration_standard();
        *fault = "from another machine";
        good = false;
    }
    return good;
}

static bool before(const struct summand__kept *a, const struct summand__kept *b)
{
    return a->slots < b->slots || (a->slots == b->slots && a->distance < b->distance);
}

/* Inserts in order. */
static void insert(struct summand__kept *list, int n, const struct summand__kept *one)
{
    for (; n > 0 && before(one, &list[n - 1]); n--)
        list[n] = list[n - 1];
    list[n] = *one;
}

/* Parses a file name; false if it does not begin so, or is another file's. */
static bool is_kept(const char *name, const char *begins, struct summand__kept *one)
{
    size_t length = strlen(begins);
    int nanoseconds, end = 0;
    if (strncmp(name, begins, length) != 0 ||
        sscanf(name + length, "%9dns-%9u%n", &nanoseconds, &one->slots, &end) != 2 ||
        name[length + (size_t)end] || nanoseconds < 1)
        return false;
    one->distance = summand__calibration_distance(nanoseconds);
    return 1 << one->distance == nanoseconds;
}

int summand__calibration_list(struct summand__kept list[SUMMAND__MOST_KEPT])
{
    char path[PATH_MAX], machine[SUMMAND__MACHINE_KEY];
    struct summand__kept one;
    struct dirent *entry;
    int n = 0;
    if (!begin_of_paths(path))
        return 0;
    char *name = strrchr(path, '/');
    *name++ = '\0';
    DIR *folder = opendir(path);
    summand__calibration_machine(machine);
    while (folder && n < SUMMAND__MOST_KEPT && (entry = readdir(folder))) {
        char file[PATH_MAX];
        if (!is_kept(entry->d_name, name, &one) ||
            !summand__calibration_path(one.distance, one.slots, file))
            continue;
        one.fault = NULL;
        summand__calibration_load(file, machine, &one.calibration, &one.fault);
        insert(list, n++, &one);
    }
    if (folder)
        closedir(folder);
    return n;
}

/* Rates a calibration; less is better. */
static int misfit(const struct summand__kept *one, int distance, unsigned slots)
{
    const int64_t usual_line = summand__quantities[SUMMAND__LINE_TIME].standard;
    const int away = one->distance - summand__calibration_distance(usual_line);
    const int by_distance = 2 * abs(away) + (away > 0);
    if (distance != SUMMAND__ANY_DISTANCE)
        return one->distance == distance && one->slots == slots ? 0 : INT_MAX;
    return one->slots == slots ? by_distance : by_distance + 4 * SUMMAND__DISTANCES;
}

const struct summand__kept *summand__calibration_find(const struct summand__kept *list, int n,
                                                      int distance, unsigned slots)
{
    const struct summand__kept *best = NULL;
    int least = INT_MAX;
    for (int i = 0; i < n; i++) {
        int fits = list[i].fault ? INT_MAX : misfit(&list[i], distance, slots);
        if (fits < least) {
            least = fits;
            best = &list[i];
        }
    }
    return best;
}

bool summand__calibration_save(const char *path, const struct summand__calibration *calibration)
{
    char machine[SUMMAND__MACHINE_KEY];
    struct summand__output output;
    struct summand__quiet quiet;
    summand__quiet_begin(&quiet);
    bool good = summand__output_open(&output, path);
    if (good) {
        summand__calibration_machine(machine);
        summand__calibration_print(calibration, machine, output.file);
        good = summand__output_close(&output, true);
    }
    summand__quiet_end(&quiet);
    return good;
}
