/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/study/rounds.h"

#include "cli/gossip/gossip.h"
#include "cli/output/setting.h"

#include <stdlib.h>
#include <string.h>

void rounds_log_begin(struct rounds_log *log, const struct rounds_options *o)
{
    *log = (struct rounds_log){.options = o};
    if (o->json) {
        log->json = json_head("rounds");
        log->rows = json_array();
        json_object_update_new(log->json, json_make("Issf", "nodes", (json_int_t)o->nodes,
                                                    "algorithm", o->name, "form",
                                                    o->twice ? "double" : "single", "eps", o->eps));
    }
    if (o->plot)
        log->curve = calloc(2, sizeof *log->curve);
}

void rounds_log_row(struct rounds_log *log, int round, double seconds, double root, double largest)
{
    if (log->curve) {
        gossip_curve_add(&log->curve[0], round, largest);
        gossip_curve_add(&log->curve[1], round, root);
    }
    if (log->json) {
        json_t *row = json_make("ioo", "round", round, "error_root", json_finite(root),
                                "error_largest", json_finite(largest));
        if (seconds >= 0)
            json_object_set_new(row, "seconds", json_finite(seconds));
        json_array_append_new(log->rows, row);
    } else if (seconds >= 0)
        printf("%d,%.3f,%g,%g\n", round, seconds, root, largest);
    else
        printf("%d,%g,%g\n", round, root, largest);
    fflush(stdout);
}

void rounds_log_value(struct rounds_log *log, const char *key, json_t *value)
{
    if (log->json)
        json_object_set_new(log->json, key, value);
    else
        json_decref(value);
}

int rounds_log_end(struct rounds_log *log, int status)
{
    static const char *const names[] = {"all nodes", "root"};
    const struct rounds_options *o = log->options;
    if (!status && log->curve) {
        char title[128];
        snprintf(title, sizeof title, "%s, %lld nodes", o->name, o->nodes);
        status = gossip_plot("rounds", o->plot, title, "rounds", log->curve, names, 2);
    }
    gossip_curve_free(log->curve, 2);
    if (!log->json)
        return status;
    if (status) {
        json_decref(log->rows);
        json_decref(log->json);
        return status;
    }
    json_object_set_new(log->json, "by_round", log->rows);
    return write_json("rounds", log->json, NULL);
}
