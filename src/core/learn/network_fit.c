/* SPDX-License-Identifier: BSD-3-Clause */
#include "learn/network_fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/combine.h"
#include "model/slope.h"
#include "select/choose.h"
#include "select/defaults.h"

/* Thresholds: an effect must be so large to count. */
/* Tries of each message of a short measurement, of which the least counts, and its least length in
 * round trips: over TCP these take longer than the whole measurement of a fast network. */
enum { TRIES = 3, LEAST_TRIPS = 100 };
static const double farther = 1.2, shared = 1.5, uneven = 0.6, seen = 0.015;

struct fit {
    struct summand__probe *probe;
    const struct summand__network_roles *roles;
    struct summand__model *model;
    double end, slice; /* end by the MPI's clock; seconds for one message */
    int times;
    struct summand__network_sample *thorough; /* NULL: a short measurement */
};

/* Times of messages between two ranks, s. */
struct line {
    double trip;                           /* a round trip of short ones */
    size_t bytes;                          /* of the longest message, */
    double flight, alone;                  /* its one-way time, and with a short answer */
    struct summand__network_sample sample; /* one-way times of messages of doubling lengths */
};

double summand__network_rounded(double value)
{
    if (!(value > 0) || value > 1e17)
        return value;
    double digits = 1 - floor(log10(value)), unit = pow(10, fabs(digits));
    return digits > 0 ? round(value * unit) / unit : round(value / unit) * unit;
}

static bool has_time(const struct fit *fit, double seconds)
{
    return PMPI_Wtime() + seconds < fit->end;
}

/* `eager`: from which length on messages take a handshake longer. */
static void set_byte(const struct line *line, double eager, struct summand__level *level)
{
    const struct summand__network_sample *sample = &line->sample;
    const double byte = summand__byte_slope(sample->bytes, sample->seconds, sample->sizes, eager);
    if (byte > 0) /* else there is only noise */
        level->byte = byte;
}

/* Measures the time of a byte, by messages of doubling lengths until bytes dominate. */
static void measure_byte(const struct fit *fit, int peer, struct line *line,
                         struct summand__level *level)
{
    enum { LEAST = 8192 };
    const double base = line->trip / 2;
    struct summand__network_sample *sample = &line->sample;
    *sample = (struct summand__network_sample){.sizes = 1, .bytes = {8}, .seconds = {base}};
    for (size_t bytes = LEAST; bytes <= fit->probe->room; bytes *= 2) {
        double alone = summand__probe_trip(fit->probe, peer, bytes, 8, fit->times > 4 ? 4 : TRIES);
        line->bytes = bytes;
        line->alone = alone;
        line->flight = fmax(alone - base, base);
        sample->bytes[sample->sizes] = bytes;
        sample->seconds[sample->sizes++] = line->flight;
        if (line->flight > 24 * base || 2 * line->flight > fit->slice ||
            !has_time(fit, 2 * TRIES * alone))
            break;
    }
    set_byte(line, DBL_MAX, level);
}

static void measure_level(const struct fit *fit, int peer, struct summand__level *level,
                          struct line *line)
{
    line->trip = summand__probe_trip(fit->probe, peer, 8, 8, fit->times);
    struct summand__probe_overheads over =
        summand__probe_burst(fit->probe, peer, fit->thorough ? 20 : TRIES);
    double base = line->trip / 2, sum = over.send + over.recv, most = 0.9 * base;
    double scale = sum > most ? most / sum : 1; /* overlapping parts take no longer than the trip */
    double busiest = fmax(over.send, over.recv);
    measure_byte(fit, peer, line, level);
    level->send = scale * over.send;
    level->recv = scale * over.recv;
    level->gap = over.pace > 1.25 * busiest ? over.pace : 0;
    level->latency = fmax(base - level->send - level->recv - 8 * level->byte, 0);
}

/* The largest 3/4 of a power of two that is at most `bytes`: limits are powers of two, less some
 * bytes. */
static size_t three_quarters(double bytes)
{
    size_t power = 256;
    while (1.5 * (double)power <= bytes)
        power *= 2;
    return power / 4 * 3;
}

/* The power of two between an eager and a waiting length; else their geometric mean. */
static double limit_between(size_t goes, size_t waits)
{
    size_t power = 256;
    while (power <= goes)
        power *= 2;
    return power <= waits ? (double)power - 1 : floor(sqrt((double)goes * (double)waits));
}

/* Finds the longest message that does not wait for its receiver, within a factor of 2.5, or 1.03 if
 * thorough; then a byte's time without what longer ones wait. */
static void measure_eager(const struct fit *fit, const struct line *line)
{
    const struct summand__level *level = &fit->model->level[SUMMAND__NETWORK];
    size_t goes = 192, waits = fit->probe->room / 2;
    double narrow = fit->thorough ? 1.03 : 2.5;
    bool any = false;
    while ((double)waits > narrow * (double)goes) {
        double middle = sqrt((double)goes * (double)waits);
        bool rough = (double)waits > 2.5 * (double)goes;
        size_t bytes = rough ? three_quarters(middle) : (size_t)middle;
        double flight = line->trip / 2 + level->byte * (double)bytes;
        if (bytes <= goes || !has_time(fit, 2 * flight + 2 * line->trip))
            break;
        bool goes_now =
            summand__probe_is_eager(fit->probe, fit->roles->peer, bytes, line->trip, flight);
        *(goes_now ? &goes : &waits) = bytes;
        any = true;
    }
    if (!any)
        return;
    fit->model->eager = limit_between(goes, waits);
    for (int where = SUMMAND__NETWORK; where <= SUMMAND__FAR; where++)
        set_byte(line, fit->model->eager, &fit->model->level[where]);
}

/* Runs two pairs between two nodes at once; for fairness, a shorter message beside a long one. */
static void measure_card(const struct fit *fit, const struct line *line)
{
    const struct summand__network_roles *roles = fit->roles;
    double helped, stream = line->alone - line->trip;
    if (roles->helper < 0 || roles->partner < 0 || !has_time(fit, 2.5 * line->alone))
        return;
    double both = summand__probe_beside(fit->probe, roles->peer, line->bytes, roles->helper,
                                        roles->partner, line->bytes, &helped);
    fit->model->shared_card = both - line->trip > shared * stream;
}

static void measure_fairness(const struct fit *fit, const struct line *line)
{
    const struct summand__network_roles *roles = fit->roles;
    double helped, stream = line->alone - line->trip;
    if (roles->helper < 0 || roles->partner < 0 || !fit->model->shared_card ||
        !has_time(fit, 1.5 * line->alone))
        return;
    summand__probe_beside(fit->probe, roles->peer, line->bytes, roles->helper, roles->partner,
                          line->bytes / 8, &helped);
    fit->model->fair_card = helped - line->trip < uneven * stream;
}

/* Measures the bandwidth that the other direction takes, and an exchange for all to repeat. */
static void measure_cross(const struct fit *fit, const struct line *line,
                          struct summand__network_bulk *bulk)
{
    if (!has_time(fit, 1.5 * line->flight))
        return;
    bulk->seconds = summand__probe_exchange(fit->probe, fit->roles->peer, line->bytes);
    double more = bulk->seconds / line->flight - 1;
    fit->model->cross = more > seen ? fmin(more, 1) : 0;
}

static double trip_to(const struct fit *fit, int node)
{
    return summand__probe_trip(fit->probe, fit->roles->look[node], 8, 8, fit->thorough ? 10 : 2);
}

/* Nodes under one switch are nearer, and come first: bisects for the first node farther away. */
static void measure_switches(const struct fit *fit, const struct line *line)
{
    struct summand__model *model = fit->model;
    int near = 0, far = fit->roles->looks - 1;
    model->level[SUMMAND__FAR] = model->level[SUMMAND__NETWORK];
    if (fit->roles->nodes < 3 || !has_time(fit, 3 * line->trip))
        return;
    double trip = trip_to(fit, far);
    if (trip < farther * line->trip)
        return;
    while (far - near > 1 && has_time(fit, 3 * trip)) {
        int middle = near + (far - near) / 2;
        bool is_far = trip_to(fit, middle) > (line->trip + trip) / 2;
        far = is_far ? middle : far;
        near = is_far ? near : middle;
    }
    bool found =
        far - near == 1 && (far < fit->roles->looks - 1 || fit->roles->nodes == fit->roles->looks);
    if (!found)
        return;
    model->per_switch = far;
    model->level[SUMMAND__FAR].latency += (trip - line->trip) / 2;
}

static void take_sample(const struct fit *fit, int peer, double trip,
                        struct summand__network_sample *sample)
{
    sample->sizes = 0;
    for (size_t bytes = 8; bytes <= fit->probe->room && sample->sizes < SUMMAND__NETWORK_SIZES;
         bytes *= 2) {
        double seconds = summand__probe_trip(fit->probe, peer, bytes, 8, 4) - trip / 2;
        if (seconds <= 0)
            continue; /* `trip` may include disturbances */
        sample->bytes[sample->sizes] = bytes;
        sample->seconds[sample->sizes++] = seconds;
    }
}

/* Measures combining and copying in the cache, s per byte; in a simulation no time passes. */
static void measure_local(const struct fit *fit)
{
    enum { BYTES = 32768, TIMES = 4 };
    char *from = fit->probe->memory, *to = from + fit->probe->room;
    summand__combiner *add = summand__combine_kernel(SUMMAND__COMBINE_SUM, SUMMAND__COMBINE_F64);
    double least[2] = {1, 1};
    memset(from, 0, BYTES);
    memset(to, 0, BYTES);
    for (int i = 0; i < 2 * TIMES; i++) {
        double start = PMPI_Wtime();
        if (i % 2)
            memcpy(to, from, BYTES);
        else
            add(from, to, to, BYTES / sizeof(double));
        double seconds = PMPI_Wtime() - start;
        least[i % 2] = i > 1 ? fmin(least[i % 2], seconds) : least[i % 2];
    }
    fit->model->reduce_byte = least[0] / BYTES;
    fit->model->copy_byte = least[1] / BYTES;
}

static void round_all(struct summand__model *model)
{
    for (const struct summand__model_row *row = summand__model_rows; row->name; row++) {
        double *value = summand__model_value(model, row);
        *value = row->whole ? *value : summand__network_rounded(*value);
    }
}

/* Defaults stay for everything without time or a rank to measure it. */
static void fit_all(const struct fit *fit, const struct summand__calibration *calibration,
                    struct summand__network_bulk *bulk)
{
    struct summand__model *model = fit->model;
    struct line line, within;
    *model = summand__cluster_model;
    model->fair_card = 1;
    measure_local(fit);
    measure_level(fit, fit->roles->peer, &model->level[SUMMAND__NETWORK], &line);
    if (calibration) {
        model->level[SUMMAND__WITHIN_NODE] = summand__memory_model.level[SUMMAND__WITHIN_NODE];
        summand__calibrate_level(&model->level[SUMMAND__WITHIN_NODE], calibration);
        summand__calibrate_work(model, calibration);
    } else if (fit->roles->helper > 0) {
        measure_level(fit, fit->roles->helper, &model->level[SUMMAND__WITHIN_NODE], &within);
    }
    measure_card(fit, &line);
    measure_switches(fit, &line);
    measure_eager(fit, &line);
    measure_cross(fit, &line, bulk);
    measure_fairness(fit, &line);
    double above =
        line.flight - line.trip / 2 - model->level[SUMMAND__NETWORK].byte * (double)line.bytes;
    if ((double)line.bytes > model->eager && above > 0.1 * line.trip)
        model->level[SUMMAND__NETWORK].handshake = model->level[SUMMAND__FAR].handshake = above;
    if (fit->roles->nodes < 2)
        model->level[SUMMAND__WITHIN_NODE] = model->level[SUMMAND__NETWORK];
    if (model->per_switch > 0 && bulk->seconds > 0 && has_time(fit, 2 * line.flight))
        bulk->bytes = line.bytes;
    round_all(model);
    if (fit->thorough) {
        take_sample(fit, fit->roles->peer, line.trip, &fit->thorough[1]);
        if (!calibration && fit->roles->helper > 0)
            take_sample(fit, fit->roles->helper, within.trip, &fit->thorough[0]);
        if (fit->roles->nodes < 2)
            fit->thorough[0] = fit->thorough[1];
    }
}

bool summand__network_fit(struct summand__probe *probe, const struct summand__network_roles *roles,
                          const struct summand__calibration *calibration,
                          struct summand__network_sample thorough[2], double seconds,
                          struct summand__model *model, struct summand__network_bulk *bulk)
{
    /* The first messages also connect the ranks. */
    double trip = summand__probe_trip(probe, roles->peer, 8, 8, 2);
    seconds = fmax(seconds, LEAST_TRIPS * trip);
    struct fit fit = {.probe = probe,
                      .roles = roles,
                      .model = model,
                      .end = PMPI_Wtime() + seconds,
                      .slice = seconds / 12,
                      .times = thorough ? 20 : 4,
                      .thorough = thorough};
    int followers[SUMMAND__NETWORK_LOOKS + 3], count = 0;
    fit_all(&fit, calibration, bulk);
    const int others[3] = {roles->helper, roles->peer, roles->partner};
    for (int i = 1; i < roles->looks; i++)
        followers[count++] = roles->look[i];
    for (int i = 0; i < 3; i++) {
        bool told = others[i] < 0;
        for (int j = 0; j < count && !told; j++)
            told = followers[j] == others[i];
        if (!told)
            followers[count++] = others[i];
    }
    summand__probe_stop(probe, followers, count);
    return probe->code == MPI_SUCCESS;
}
