/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/settings.h"

#include <mpi.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "base/environment.h"
#include "base/hash.h"
#include "base/inject.h"
#include "base/registered.h"
#include "base/warning.h"
#include "fabric/calibrated.h"
#include "kernel/arch.h"
#include "process/error.h"
#include "process/launcher.h"
#include "process/world_root.h"

/* The hash of the last valid environment; 0: none. */
static _Atomic uint64_t good;

int summand__settings_check(void)
{
    struct summand__complaint complaint;
    uint64_t now = summand__environment_hash();
    if (now == atomic_load_explicit(&good, memory_order_relaxed))
        return MPI_SUCCESS;
    const char *arch = summand__arch_complaint(),
               *fault = summand__environment_value("SUMMAND_INJECT", NULL);
    struct summand__injection injection;
    bool fine = summand__environment_check(&complaint) &&
                (!fault || summand__injection_read(fault, &injection, &complaint));
    if (!fine || arch)
        return summand__refuse(SUMMAND_ERR_ENVIRONMENT, "%s", fine ? arch : complaint.text);
    if (summand__is_world_root()) {
        summand__warn_unknown();
        const struct summand__registered *other = &summand__registered;
        if (other->setting_fault && other->setting_fault())
            summand__warn("%s; %s", other->setting_fault(), other->instead);
    }
    summand__launcher_warn();
    atomic_store_explicit(&good, now, memory_order_relaxed);
    return MPI_SUCCESS;
}

static long long number_of(const char *name)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    return summand__environment_read(name, &setting, &complaint) ? setting.number : 0;
}

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

/* Identifies the file; one that is rewritten under its old name is another one. */
static void read_tuning(int64_t tuning[5])
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    struct stat status;
    if (!summand__environment_read("SUMMAND_TUNING", &setting, &complaint) || !setting.text)
        return;
    tuning[0] = (int64_t)(summand__hash_text(setting.text) | 1);
    if (stat(setting.text, &status))
        return;
    tuning[1] = (int64_t)((uint64_t)status.st_ino ^ (uint64_t)status.st_dev << 48);
    tuning[2] = status.st_size;
    tuning[3] = nanoseconds(&status.st_mtim);
    tuning[4] = nanoseconds(&status.st_ctim);
}

static struct summand__settings read_settings(void)
{
    struct summand__setting read;
    struct summand__complaint complaint;
    struct summand__settings settings = {.node_size = number_of("SUMMAND_NODE_SIZE"),
                                         .transport = number_of("SUMMAND_TRANSPORT"),
                                         .network = number_of("SUMMAND_NETWORK"),
                                         .checks = number_of("SUMMAND_CHECK"),
                                         .checked = number_of("SUMMAND_CHECKED")};
    summand__environment_read("SUMMAND_DIRECT_READ", &read, &complaint);
    settings.read_from = read.text ? read.number : SUMMAND__NEVER;
    summand__environment_read("SUMMAND_CALIBRATION", &read, &complaint);
    settings.calibration = summand__calibration_asked(read.text ? read.text : "");
    read_tuning(settings.tuning);
    return settings;
}

struct summand__settings summand__settings_read(void)
{
    static _Thread_local struct {
        uint64_t hash;
        bool known;
        struct summand__settings settings;
    } last;
    uint64_t now = summand__environment_hash();
    if (!last.known || last.hash != now || last.settings.tuning[0]) {
        last.settings = read_settings();
        last.hash = now;
        last.known = true;
    }
    return last.settings;
}

bool summand__settings_equal(const struct summand__settings *a, const struct summand__settings *b)
{
    return !memcmp(a, b, sizeof *a);
}
