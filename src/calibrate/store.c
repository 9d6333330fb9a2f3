#include "calibrate/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/machine.h"
#include "base/output.h"

enum { LONGEST = 4096 };

void summand__calibration_machine(char text[SUMMAND__MACHINE_KEY])
{
    char name[160], kind[64];
    struct utsname system;
    struct summand__last_cache cache = summand__last_cache();
    summand__processor_name(name, sizeof name);
    summand__processor_kind(kind, sizeof kind);
    snprintf(text, SUMMAND__MACHINE_KEY, "%s (%s), %d on line, last cache %zu KiB for %d, %.64s",
             name, kind, summand__processors(), cache.bytes / 1024, cache.processors,
             uname(&system) ? "unknown system" : system.release);
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

int summand__calibration_distance(int64_t line)
{
    int distance = 0;
    while (distance < SUMMAND__DISTANCES - 1 && line >> (distance + 1))
        distance++;
    return distance;
}

bool summand__calibration_path(int distance, unsigned slots, char path[PATH_MAX])
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
    int used = snprintf(path, PATH_MAX, "%s%s/summand/calibration-%016" PRIx64 "-%dns-%u", folder,
                        below, hash_of(machine), 1 << distance, slots);
    return used > 0 && used < PATH_MAX;
}

bool summand__calibration_keepable(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0'; /* .../summand */
    char *last = strrchr(folder, '/');
    *last = '\0'; /* the cache: a home is not made */
    bool there = !mkdir(folder, 0700) || errno == EEXIST;
    *last = '/';
    there = there && (!mkdir(folder, 0700) || errno == EEXIST);
    return there && !access(folder, W_OK | X_OK);
}

/* A pipe or device might never end: it is not even waited for. */
static bool read_text(const char *path, char *text, const char **fault)
{
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t got = -1;
    size_t used = 0;
    *fault = strerror(errno);
    if (descriptor < 0)
        return false;
    *fault = "not a regular file";
    if (!fstat(descriptor, &status) && S_ISREG(status.st_mode))
        while (used < LONGEST && (got = read(descriptor, text + used, LONGEST - used)) > 0)
            used += (size_t)got;
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
    *fault = "no calibration";
    if (good && machine && strcmp(from, machine) != 0) {
        *calibration = summand__calibration_standard();
        *fault = "from another machine";
        good = false;
    }
    return good;
}

static bool load_kept(int distance, unsigned slots, struct summand__calibration *calibration)
{
    char path[PATH_MAX], machine[SUMMAND__MACHINE_KEY];
    const char *fault;
    *calibration = summand__calibration_standard();
    if (distance < 0 || distance >= SUMMAND__DISTANCES ||
        !summand__calibration_path(distance, slots, path))
        return false;
    summand__calibration_machine(machine);
    return summand__calibration_load(path, machine, calibration, &fault);
}

bool summand__calibration_kept(int distance, unsigned slots,
                               struct summand__calibration *calibration)
{
    if (distance != SUMMAND__ANY_DISTANCE)
        return load_kept(distance, slots, calibration);
    int usual = summand__calibration_distance(summand__quantities[SUMMAND__LINE_TIME].standard);
    for (int away = 0; away < SUMMAND__DISTANCES; away++)
        if (load_kept(usual - away, slots, calibration) ||
            load_kept(usual + away, slots, calibration))
            return true;
    return false;
}

bool summand__calibration_save(const char *path, const struct summand__calibration *calibration)
{
    char machine[SUMMAND__MACHINE_KEY];
    struct summand__output output;
    if (!summand__output_open(&output, path))
        return false;
    summand__calibration_machine(machine);
    summand__calibration_print(calibration, machine, output.file);
    return summand__output_close(&output, true);
}
