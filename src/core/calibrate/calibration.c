/* SPDX-License-Identifier: BSD-3-Clause */
#include "calibrate/calibration.h"

#include <inttypes.h>
#include <string.h>

enum { HOLDS_SECONDS = 3600 };

static const char unsettled_name[] = "unsettled";

#define TITLE "# Summand's calibration, version "
static const char head[] = TITLE "5: 'summand info' says what it means";

const struct summand__quantity_row summand__quantities[SUMMAND__QUANTITIES] = {
    [SUMMAND__LINE_TIME] = {"line", "ns", "a cache line from one core to another",
                            "latency of a node in estimates (src/core/select)", 1, 100000, 100},
    [SUMMAND__BYTE_TIME] = {"byte", "ps",
                            "a byte of a vector of 128 KiB that two cores exchange and add",
                            "bandwidth of a node in estimates (src/core/select)", 1, 1000000, 85},
    [SUMMAND__SPIN_TURNS] = {"spins", "turns", "turns of waiting that take about 20 us",
                             "src/core/base/backoff.h", 10, 100000, 1000},
    [SUMMAND__FLOP_TIME] = {"flop", "fs", "an operation of a product of doubles, on one core",
                            "local work in estimates (src/core/select)", 100, 100000000, 25000},
    [SUMMAND__WRITE_TIME] = {"write", "fs",
                             "a byte of a product's result, written while another core writes too",
                             "local work in estimates (src/core/select)", 100, 100000000, 50000},
    [SUMMAND__PREFETCH_AHEAD] = {"prefetch", "bytes",
                                 "so far ahead sums fetch what they read from memory",
                                 "src/core/kernel/prefetch.h", 64, 65536, 1024},
    [SUMMAND__BYPASS_RESULTS] = {"results", "percent",
                                 "long products past the caches, of others' time; from 100: never",
                                 "src/compute/outer.h", 1, 100000, 60},
    [SUMMAND__BYPASS_COPIES] = {"copies", "percent",
                                "the same of long vectors that are received and only copied",
                                "src/core/op/vector.h", 1, 100000, 60},
};

struct summand__calibration summand__calibration_standard(void)
{
    struct summand__calibration standard = {.unsettled = 0};
    for (int q = 0; q < SUMMAND__QUANTITIES; q++)
        standard.value[q] = summand__quantities[q].standard;
    return standard;
}

bool summand__calibration_says(const struct summand__calibration *calibration,
                               enum summand__quantity quantity)
{
    return calibration->value[quantity] != summand__quantities[quantity].standard;
}

void summand__calibration_print(const struct summand__calibration *calibration, const char *machine,
                                FILE *out)
{
    fprintf(out, "%s\nmachine %s\n", head, machine);
    if (calibration->unsettled)
        fprintf(out, "%s = %" PRId64 " s\n", unsettled_name, calibration->unsettled);
    for (int q = 0; q < SUMMAND__QUANTITIES; q++)
        fprintf(out, "%s = %" PRId64 " %s\n", summand__quantities[q].name, calibration->value[q],
                summand__quantities[q].unit);
}

/* Reads one line with a quantity, exactly as printed. Returns the quantity, SUMMAND__QUANTITIES for
 * the time of an unsettled calibration, or -1. */
static int read_line(const char *line, struct summand__calibration *calibration)
{
    char name[16], unit[8], rest;
    int64_t value;
    if (sscanf(line, "%15s = %" SCNd64 " %7s %c", name, &value, unit, &rest) != 3)
        return -1;
    if (!strcmp(name, unsettled_name)) {
        calibration->unsettled = value;
        return strcmp(unit, "s") || value < 1 ? -1 : SUMMAND__QUANTITIES;
    }
    for (int q = 0; q < SUMMAND__QUANTITIES; q++) {
        const struct summand__quantity_row *row = &summand__quantities[q];
        if (strcmp(row->name, name) || strcmp(row->unit, unit))
            continue;
        calibration->value[q] = value;
        return value < row->least || value > row->most ? -1 : q;
    }
    return -1;
}

static bool parse(const char *text, struct summand__calibration *calibration, char *machine,
                  size_t room)
{
    const unsigned last = 1u << SUMMAND__QUANTITIES;
    unsigned seen = 0;
    char line[512];
    *machine = '\0';
    calibration->unsettled = 0;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (length >= sizeof line)
            return false;
        memcpy(line, text, length);
        line[length] = '\0';
        if (!strncmp(line, "machine ", 8)) {
            if (*machine || length - 8 >= room)
                return false;
            strcpy(machine, line + 8);
        } else if (!strncmp(line, TITLE, sizeof TITLE - 1)) {
            if (strcmp(line, head)) /* of another version */
                return false;
        } else if (*line && *line != '#') {
            int q = read_line(line, calibration);
            if (q < 0 || seen >> q & 1)
                return false;
            seen |= 1u << q;
        }
    }
    return (seen | last) == 2 * last - 1;
}

bool summand__calibration_parse(const char *text, struct summand__calibration *calibration,
                                char *machine, size_t room)
{
    bool good = parse(text, calibration, machine, room);
    if (!good)
        *calibration = summand__calibration_standard();
    return good;
}

/* The age is unknown if the clock was set back. */
bool summand__calibration_holds(const struct summand__calibration *calibration, int64_t now)
{
    return !calibration->unsettled ||
           (now >= calibration->unsettled && now - calibration->unsettled < HOLDS_SECONDS);
}
