#include "cli/algorithms/loggp.h"

#include <math.h>
#include <mpi.h>
#include <string.h>

#include "cli/algorithms/loggp_schedules.h"
#include "cli/common/cli.h"
#include "cli/common/probe.h"
#include "cli/common/progress.h"
#include "comm/fabric/fabric.h"

/* Copies of 64 KiB take longer than the overhead of any message. */
enum { TRIPS = 8, MESSAGES = 9, DELAY = 8192, LARGEST = 1 << 19 };

static double one_way(struct probe *probe, struct pair pair, size_t count)
{
    struct summand__schedule schedule = pingpong(pair, TRIPS, count);
    return probe_time(probe, &schedule, pair.a) / (2 * TRIPS);
}

static double per_message(struct probe *probe, struct pair pair,
                          struct summand__schedule (*make)(struct pair, int, size_t, bool),
                          int whose)
{
    struct summand__schedule many = make(pair, MESSAGES, DELAY, true);
    double with = probe_time(probe, &many, whose);
    struct summand__schedule one = make(pair, MESSAGES, DELAY, false);
    double without = probe_time(probe, &one, whose);
    return fmax(0, (with - without) / (MESSAGES - 1));
}

static double burst_gap(struct probe *probe, struct pair pair)
{
    struct summand__schedule many = burst(pair, MESSAGES, 1), one = burst(pair, 1, 1);
    double with = probe_time(probe, &many, pair.a), without = probe_time(probe, &one, pair.a);
    return fmax(0, (with - without) / (MESSAGES - 1));
}

/* Seconds per byte of local work, over sizes from a cache to another. */
static double per_byte(struct probe *probe, struct pair pair, enum summand__action action)
{
    static const size_t counts[] = {2048, 16384, 131072};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        struct summand__schedule schedule = local_work(pair, action, 4, counts[i]);
        sum += probe_time(probe, &schedule, pair.a) / (4 * 8.0 * (double)counts[i]);
    }
    return sum / 3;
}

/* Seconds of a message: base + bytes * byte, and the handshake above `eager`. */
struct line {
    double base, byte, handshake, error;
};

/* Least squares of the relative error, so that short messages count as much as long ones. Columns:
 * 1, bytes and, with a threshold, whether above it. */
static struct line fit_line(const struct loggp_fit *fit, double eager)
{
    int unknowns = eager < (double)fit->bytes[fit->sizes - 1] ? 3 : 2;
    double a[3][4] = {{0}};
    for (int i = 0; i < fit->sizes; i++) {
        double t = fit->seconds[i], bytes = (double)fit->bytes[i];
        double x[4] = {1 / t, bytes / t, (bytes > eager) / t, 1};
        for (int r = 0; r < unknowns; r++)
            for (int c = 0; c < 4; c++)
                a[r][c] += x[r] * x[c];
    }
    for (int p = 0; p < unknowns; p++) /* positive definite: no pivots are sought */
        for (int r = 0; r < unknowns; r++) {
            double factor = r == p ? 0 : a[r][p] / a[p][p];
            for (int c = 0; c < 4; c++)
                a[r][c] -= factor * a[p][c];
        }
    struct line line = {a[0][3] / a[0][0], a[1][3] / a[1][1], unknowns > 2 ? a[2][3] / a[2][2] : 0,
                        0};
    for (int i = 0; i < fit->sizes; i++) {
        double bytes = (double)fit->bytes[i];
        double model = line.base + line.byte * bytes + (bytes > eager ? line.handshake : 0);
        line.error += pow(model / fit->seconds[i] - 1, 2);
    }
    return line;
}

/* The threshold with the least error; none where a handshake does not show. */
static struct line find_line(const struct loggp_fit *fit, double *eager)
{
    struct line best = fit_line(fit, 1e18);
    *eager = 1e18;
    for (int i = 2; i + 2 < fit->sizes; i++) {
        struct line line = fit_line(fit, (double)fit->bytes[i]);
        if (line.base > 0 && line.byte > 0 && line.handshake > 0 && line.error < 0.8 * best.error) {
            best = line;
            *eager = (double)fit->bytes[i];
        }
    }
    return best;
}

static void fill_model(struct loggp_fit *fit, const struct summand__level *level, double eager)
{
    for (int i = 0; i < fit->sizes; i++) {
        double bytes = (double)fit->bytes[i];
        fit->model[i] = level->send + level->latency + level->recv + bytes * level->byte +
                        (bytes > eager ? level->handshake : 0);
    }
}

static void measure_level(struct probe *probe, struct pair pair, struct loggp_fit *fit,
                          struct summand__level *level, double *eager)
{
    fit->sizes = 0;
    for (size_t count = 1; count <= LARGEST && fit->sizes < LOGGP_SIZES; count *= 2) {
        progress_show("tune: what messages cost", fit->sizes, LOGGP_SIZES);
        fit->bytes[fit->sizes] = 8 * count;
        fit->seconds[fit->sizes++] = fmax(1e-9, one_way(probe, pair, count));
    }
    struct line line = find_line(fit, eager);
    double send = per_message(probe, pair, delayed_sends, pair.a);
    double recv = per_message(probe, pair, delayed_recvs, pair.b);
    double pace = burst_gap(probe, pair); /* a gap only where the overheads do not explain it */
    double base = fmax(line.base, 1e-9), most = 0.9 * base;
    if (send + recv > most) { /* what overlaps in a round trip cannot take longer than it */
        double scale = most / (send + recv);
        send *= scale;
        recv *= scale;
    }
    *level = (struct summand__level){.latency = base - send - recv,
                                     .send = send,
                                     .recv = recv,
                                     .gap = pace > 1.25 * fmax(send, recv) ? pace : 0,
                                     .byte = fmax(line.byte, 0),
                                     .handshake = line.handshake};
    fill_model(fit, level, *eager);
}

static void take_fit(const struct summand__network_sample *sample,
                     const struct summand__level *level, double eager, struct loggp_fit *fit)
{
    fit->sizes = sample->sizes;
    memcpy(fit->bytes, sample->bytes, sizeof sample->bytes);
    memcpy(fit->seconds, sample->seconds, sizeof sample->seconds);
    fill_model(fit, level, eager);
}

static void measure_local(struct probe *probe, struct pair near, struct summand__model *model)
{
    model->reduce_byte = per_byte(probe, near, SUMMAND__REDUCE);
    model->copy_byte = per_byte(probe, near, SUMMAND__COPY);
}

static void measure_node(struct probe *probe, struct loggp *loggp)
{
    struct summand__model *model = &loggp->model;
    struct pair near = {probe->state->rank, 0, 1};
    *model = (struct summand__model){.per_node = probe->state->ranks,
                                     .oversubscription = 1,
                                     .flop = SUMMAND__FLOP,
                                     .write_byte = SUMMAND__WRITE_BYTE};
    measure_level(probe, near, &loggp->fit[0], &model->level[SUMMAND__WITHIN_NODE], &model->eager);
    for (int reach = SUMMAND__NETWORK; reach < SUMMAND__REACHES; reach++)
        model->level[reach] = model->level[SUMMAND__WITHIN_NODE];
    measure_local(probe, near, model);
}

/* As at a first use (comm/fabric/network.h), but longer; and the library's own messages within a
 * node, where it has these. */
static void measure_network(struct probe *probe, struct loggp *loggp)
{
    static const double seconds = 1;
    struct summand__network_sample sample[2] = {{.sizes = 0}, {.sizes = 0}};
    struct summand__network network;
    struct summand__model *model = &loggp->model;
    struct summand__state *state = probe->state;
    const struct summand__fabric *fabric = state->context.fabric;
    MPI_Comm comm;
    double eager;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int code =
        summand__network_measure(comm, &fabric->map, fabric->shares ? &fabric->calibration : NULL,
                                 sample, seconds, &network);
    MPI_Comm_free(&comm);
    trouble_note_mpi(&probe->trouble, "messages", code);
    if (code == MPI_SUCCESS && !network.known)
        trouble_note(&probe->trouble, "out of memory");
    if (!agree_fine(!probe->trouble.text[0]))
        return;
    *model = network.model;
    model->per_node = state->nodes.most;
    if (state->nodes.most < 2)
        model->shared_card = 0;
    if (fabric->shares && fabric->map.leader[1] == 0) {
        struct pair near = {state->rank, 0, 1};
        measure_level(probe, near, &loggp->fit[0], &model->level[SUMMAND__WITHIN_NODE], &eager);
        measure_local(probe, near, model);
    } else {
        take_fit(&sample[0], &model->level[SUMMAND__WITHIN_NODE], model->eager, &loggp->fit[0]);
    }
    take_fit(&sample[1], &model->level[SUMMAND__NETWORK], model->eager, &loggp->fit[1]);
}

bool loggp_measure(const char *command, struct loggp *loggp)
{
    struct probe probe;
    *loggp = (struct loggp){.far = false};
    if (!probe_begin(&probe, command, (size_t)LARGEST * 2))
        return probe_end(&probe), false;
    loggp->far = probe.state->nodes.most < probe.state->ranks;
    if (loggp->far)
        measure_network(&probe, loggp);
    else
        measure_node(&probe, loggp);
    progress_show("tune: what messages cost", 1, 1);
    bool good = agree(command, &probe.trouble);
    probe_end(&probe);
    return good;
}

static void print_reach(const struct loggp_fit *fit, const char *name, const char *lead, FILE *out)
{
    double worst = 0, sum = 0;
    int at = 0;
    for (int i = 0; i < fit->sizes; i++) {
        double error = fabs(fit->model[i] / fit->seconds[i] - 1);
        sum += error;
        if (error > worst) {
            worst = error;
            at = i;
        }
    }
    char text[400];
    snprintf(text, sizeof text,
             "%sone-way time of messages %s, 8 B to %zu B: the model is off by %.0f %% in the mean,"
             " %.0f %% at most (%zu B: %.3g us measured, %.3g by the model)",
             lead, name, fit->bytes[fit->sizes - 1], 100 * sum / fit->sizes, 100 * worst,
             fit->bytes[at], 1e6 * fit->seconds[at], 1e6 * fit->model[at]);
    if (*lead)
        fprintf(out, "%s\n", text);
    else
        print_wrapped(text, 0, out);
}

void loggp_print_fit(const struct loggp *loggp, const char *lead, FILE *out)
{
    if (loggp->fit[0].sizes)
        print_reach(&loggp->fit[0], "in a node", lead, out);
    if (loggp->far)
        print_reach(&loggp->fit[1], "between nodes", lead, out);
    else
        fprintf(out, "%sall ranks were on one node: between nodes the same numbers are taken\n",
                lead);
    if (loggp->model.per_switch > 0)
        fprintf(out,
                "%s%.0f nodes are under a switch; others are %.3g us farther away, and links up "
                "carry 1/%.2g of what these nodes can send\n",
                lead, loggp->model.per_switch,
                1e6 * (loggp->model.level[SUMMAND__FAR].latency -
                       loggp->model.level[SUMMAND__NETWORK].latency),
                loggp->model.oversubscription);
    else
        fprintf(out, "%sbetween switches (far) the numbers between nodes are taken\n", lead);
}
