/* SPDX-License-Identifier: BSD-3-Clause */
/* Flips every bit of every word that a rank of a gossip call keeps or receives, one at a time, and
 * counts the outcomes. Runs the library's code for calls over MPI, all ranks in one process
 * (world.h).
 *
 * A unit is one step of one rank, or one message that it receives. For each kept word, the 64 bits
 * are first flipped in place and the guard opened: bits that are restored exactly take the same
 * course. Of the remaining words, those whose bits may all be inverted at once without any change
 * to the run are not read. The bits of all others, and of all received words, have a run each.
 *
 * Units are scattered: any part of the campaign covers all ranks and steps.
 *
 *     flips --ranks 3                         all units; some minutes
 *     flips --ranks 8 --record FILE           resumes where FILE ends, for as long as it takes
 *     flips --ranks 8 --bits 4                4 bits of each word that is read, drawn by --seed
 *     flips --ranks 8 --every 50              each 50th unit
 *     flips --ranks 3 --pair 2                the same bit of the word two places on too: of a
 *                                             value and of its checksum, of a word and of its seal
 */
#include "flips/call.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct call_case cases[] = {
    {"sum", "hpfcc", NULL, SUMMAND_GOSSIP_FIXED, 1, false, false, false, .eps = 1e-9},
    {"sum3", "hpfcc", NULL, SUMMAND_GOSSIP_FIXED, 3, false, false, false, .eps = 1e-6},
    {"mean", "hpfcc", NULL, SUMMAND_GOSSIP_FIXED, 1, false, true, false, .eps = 1e-6},
    {"own", "hpfcc", NULL, SUMMAND_GOSSIP_FIXED, 1, false, false, true, .eps = 1e-3},
    {"max", "hpfcc", NULL, SUMMAND_GOSSIP_FIXED, 1, true, false, false, .eps = 1e-9},
    {"pfcc", "pfcc", "full", SUMMAND_GOSSIP_FIXED, 1, false, false, false, .eps = 1e-6},
    {"pfcc-ring", "pfcc", "ring", SUMMAND_GOSSIP_FIXED, 1, false, false, false, .eps = 1e-3},
};

/* Near: for asynchronous algorithms, whose course a repair changes: the requested accuracy, and the
 * same bits on all ranks. */
enum { SAID_MOST = 20 };
enum { SAME, NEAR, ERROR_EVERYWHERE, SILENT, DISAGREE, HANG, OUTCOMES };
static const char *const outcome_names[] = {"same bits", "within eps", "error on all",
                                            "SILENT",    "DISAGREE",   "HANG"};

struct tally {
    long units, words, bits, runs;
    long put_back, unread; /* bits without their own run */
    long outcome[OUTCOMES];
};

static struct {
    const struct call_case *how;
    int ranks, bits; /* bits: bits of a word that have a run each */
    int pair;        /* distance of the word in which the same bit also flips; 0: none */
    uint64_t seed;
    struct call_outcome clean;
    struct tally tally;
    long unit;             /* its place in the scattered order */
    struct call_flip flip; /* the last one */
    int said;
} campaign;

static int outcome_of(const struct call_outcome *o)
{
    const struct call_outcome *clean = &campaign.clean;
    int good = 0, bad = 0, wrong = 0, far = 0;
    for (int rank = 0; rank < campaign.ranks; rank++) {
        good += o->code[rank] == MPI_SUCCESS;
        bad += o->code[rank] != MPI_SUCCESS;
        wrong += o->code[rank] == MPI_SUCCESS &&
                 memcmp(o->y[rank], clean->y[rank], sizeof o->y[rank]) != 0;
        far += !campaign.how->disagree && memcmp(o->y[rank], o->y[0], sizeof o->y[rank]) != 0;
        for (int k = 0; k < campaign.how->count; k++) /* each is within eps of the true one */
            far += !(fabs(o->y[rank][k] - clean->y[rank][k]) <=
                     2 * campaign.how->eps * fabs(clean->y[rank][k]));
    }
    if (o->hangs || (good && bad))
        return o->hangs ? HANG : DISAGREE;
    if (bad || !wrong)
        return bad ? ERROR_EVERYWHERE : SAME;
    return far || strncmp(campaign.how->algorithm, "pf", 2) ? SILENT : NEAR;
}

static void say_worse(const struct call_outcome *o, int outcome)
{
    const struct call_flip *f = &campaign.flip;
    int bit = 0;
    if (++campaign.said > SAID_MOST)
        return;
    while (!(f->bits >> bit & 1))
        bit++;
    printf("%s: unit %ld, %s, rank %d, %s %lld, word %d, bit %d; codes", outcome_names[outcome],
           campaign.unit, f->where == CALL_KEPT ? "kept" : "received", f->rank,
           f->where == CALL_KEPT ? "step" : "message", (long long)f->when, f->words[0], bit);
    for (int rank = 0; rank < campaign.ranks; rank++)
        printf(" %d", o->code[rank]);
    printf("; %.17g for %.17g\n", o->y[0][0], campaign.clean.y[0][0]);
}

static void run(enum call_where where, int rank, int64_t when, const int *words, int count,
                uint64_t bits, struct call_outcome *o)
{
    campaign.flip = (struct call_flip){where, rank, when, words, count, bits};
    call_run(campaign.how, campaign.ranks, campaign.seed, &campaign.flip, o);
    campaign.tally.runs++;
}

/* All bits of a word, or the requested number, drawn anew for each word of each unit. */
static uint64_t drawn_bits(int word)
{
    uint64_t draws = (campaign.seed << 40) ^ ((uint64_t)campaign.unit << 16) ^ (uint64_t)word;
    uint64_t bits = 0;
    if (campaign.bits == 64)
        return ~UINT64_C(0);
    for (int drawn = 0; drawn < campaign.bits;) {
        draws = (draws + 1) * 0x9e3779b97f4a7c15u;
        draws ^= draws >> 29;
        uint64_t bit = UINT64_C(1) << (draws * 0xbf58476d1ce4e5b9u >> 58);
        drawn += !(bits & bit);
        bits |= bit;
    }
    return bits;
}

static void each_bit(enum call_where where, int rank, int64_t when, int word)
{
    struct call_outcome o;
    uint64_t drawn = drawn_bits(word);
    const int both[2] = {word, word + campaign.pair};
    campaign.tally.bits += campaign.bits;
    for (int bit = 0; bit < 64; bit++) {
        if (!(drawn >> bit & 1))
            continue;
        run(where, rank, when, both, campaign.pair ? 2 : 1, UINT64_C(1) << bit, &o);
        int outcome = outcome_of(&o);
        campaign.tally.outcome[outcome]++;
        if (outcome >= SILENT)
            say_worse(&o, outcome);
    }
}

/* Finds words that are not read by bisection. */
static void each_word(int rank, int64_t when, const int *words, int count)
{
    struct call_outcome o;
    run(CALL_KEPT, rank, when, words, count, ~UINT64_C(0), &o);
    if (call_alike(&o, &campaign.clean, campaign.ranks)) {
        campaign.tally.bits += 64L * count;
        campaign.tally.unread += 64L * count;
        campaign.tally.outcome[SAME] += 64L * count;
    } else if (count == 1)
        each_bit(CALL_KEPT, rank, when, words[0]);
    else {
        each_word(rank, when, words, count / 2);
        each_word(rank, when, words + count / 2, count - count / 2);
    }
}

static void kept_unit(int rank, int64_t when)
{
    static struct call_kept kept;
    struct call_flip flip = {.where = CALL_KEPT, .rank = rank, .when = when};
    campaign.flip = flip;
    call_look(campaign.how, campaign.ranks, campaign.seed, &flip, &kept);
    long in_place = 64L * (kept.words - kept.rest_count);
    campaign.tally.words += kept.words;
    campaign.tally.bits += in_place;
    campaign.tally.put_back += in_place;
    campaign.tally.outcome[SAME] += in_place;
    if (kept.rest_count)
        each_word(rank, when, kept.rest, kept.rest_count);
}

static void received_unit(int rank, int64_t when)
{
    struct call_outcome o;
    int none = -1;
    run(CALL_RECEIVED, rank, when, &none, 0, 0, &o);
    int words = o.words;
    campaign.tally.words += words;
    for (int word = 0; word < words; word++)
        each_bit(CALL_RECEIVED, rank, when, word);
}

static long count_units(void)
{
    long units = 0;
    for (int rank = 0; rank < campaign.ranks; rank++)
        units += campaign.clean.steps[rank] + campaign.clean.receipts[rank];
    return units;
}

static long divisor(long a, long b)
{
    return b ? divisor(b, a % b) : a;
}

/* Multiples of a coprime number near the golden section. */
static long scattered(long place, long units)
{
    long stride = (long)(0.6180339887498949 * (double)units) + 1;
    while (divisor(stride, units) != 1)
        stride++;
    return place * stride % units;
}

static void one_unit(long place, long units)
{
    long unit = scattered(place, units);
    campaign.unit = place;
    campaign.tally.units++;
    for (int rank = 0; rank < campaign.ranks; rank++) {
        if (unit < campaign.clean.steps[rank]) {
            kept_unit(rank, unit + 1);
            return;
        }
        unit -= campaign.clean.steps[rank];
        if (unit < campaign.clean.receipts[rank]) {
            received_unit(rank, unit);
            return;
        }
        unit -= campaign.clean.receipts[rank];
    }
}

/* If a flip ends the program, prints which one. */
static void crashed(int signal)
{
    const struct call_flip *f = &campaign.flip;
    char text[160];
    int length = snprintf(text, sizeof text,
                          "CRASH %d: unit %ld, where %d, rank %d, at %lld, word %d, bits %llx\n",
                          signal, campaign.unit, (int)f->where, f->rank, (long long)f->when,
                          f->count ? f->words[0] : -1, (unsigned long long)f->bits);
    if (write(1, text, (size_t)length) < 0)
        _exit(4);
    _exit(3);
}

/* One line per unit done: its number, then the tally so far. */
static const char line_format[] = "%ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld\n";

static long resume(FILE *record)
{
    long unit, next = 0;
    struct tally t;
    while (fscanf(record, "%ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld\n", &unit, &t.units,
                  &t.words, &t.bits, &t.runs, &t.put_back, &t.unread, &t.outcome[SAME],
                  &t.outcome[NEAR], &t.outcome[ERROR_EVERYWHERE], &t.outcome[SILENT],
                  &t.outcome[DISAGREE], &t.outcome[HANG]) == 13) {
        campaign.tally = t;
        next = unit + 1;
    }
    return next;
}

static void keep(FILE *record, long unit)
{
    const struct tally *t = &campaign.tally;
    fprintf(record, line_format, unit, t->units, t->words, t->bits, t->runs, t->put_back, t->unread,
            t->outcome[SAME], t->outcome[NEAR], t->outcome[ERROR_EVERYWHERE], t->outcome[SILENT],
            t->outcome[DISAGREE], t->outcome[HANG]);
    fflush(record);
}

static int report(long done, long units)
{
    const struct tally *t = &campaign.tally;
    printf("%s, %d ranks: %ld of %ld units, %ld words, %ld bits (%ld restored at once, %ld not "
           "read), %ld runs\n ",
           campaign.how->name, campaign.ranks, done, units, t->words, t->bits, t->put_back,
           t->unread, t->runs);
    for (int k = 0; k < OUTCOMES; k++)
        printf(" %s %ld%s", outcome_names[k], t->outcome[k], k < OUTCOMES - 1 ? "," : "\n");
    return t->outcome[SILENT] || t->outcome[DISAGREE] || t->outcome[HANG];
}

struct options {
    const char *name, *record;
    long from, to, every, seconds;
};

static int usage(void)
{
    fprintf(stderr,
            "usage: flips [--case sum|sum3|mean|own|max|pfcc|pfcc-ring] [--ranks 2..8] [--from "
            "UNIT] [--to UNIT] [--every K] [--bits 1..64] [--seconds T] [--seed S] [--pair K] "
            "[--record FILE]\n");
    return 2;
}

static bool read_options(int argc, char **argv, struct options *o)
{
    *o = (struct options){.name = "sum", .to = -1, .every = 1};
    campaign.ranks = 2;
    campaign.bits = 64;
    for (int a = 1; a + 1 < argc; a += 2) {
        const char *key = argv[a], *value = argv[a + 1];
        long number = strtol(value, NULL, 10);
        if (!strcmp(key, "--case"))
            o->name = value;
        else if (!strcmp(key, "--record"))
            o->record = value;
        else if (!strcmp(key, "--ranks"))
            campaign.ranks = (int)number;
        else if (!strcmp(key, "--from"))
            o->from = number;
        else if (!strcmp(key, "--to"))
            o->to = number;
        else if (!strcmp(key, "--every"))
            o->every = number;
        else if (!strcmp(key, "--bits"))
            campaign.bits = (int)number;
        else if (!strcmp(key, "--seconds"))
            o->seconds = number;
        else if (!strcmp(key, "--pair"))
            campaign.pair = (int)number;
        else if (!strcmp(key, "--seed"))
            campaign.seed = (uint64_t)number;
        else
            return false;
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (!strcmp(cases[k].name, o->name))
            campaign.how = &cases[k];
    return argc % 2 && campaign.how && campaign.ranks >= 2 && campaign.ranks <= WORLD_MOST &&
           campaign.bits >= 1 && campaign.bits <= 64 && campaign.pair >= 0 && o->every >= 1 &&
           o->from >= 0;
}

int main(int argc, char **argv)
{
    struct options o;
    FILE *record = NULL;
    if (!read_options(argc, argv, &o))
        return usage();
    signal(SIGSEGV, crashed);
    signal(SIGFPE, crashed);
    signal(SIGBUS, crashed);
    struct call_flip none = {.where = CALL_NOTHING};
    call_run(campaign.how, campaign.ranks, campaign.seed, &none, &campaign.clean);
    if (campaign.clean.hangs || outcome_of(&campaign.clean) != SAME) {
        printf("the call does not even work without a flip: code %d\n", campaign.clean.code[0]);
        return 1;
    }
    long units = count_units(), to = o.to < 0 || o.to > units ? units : o.to, unit = o.from;
    if (o.record && !(record = fopen(o.record, "a+")))
        return usage();
    if (record) {
        rewind(record);
        long next = resume(record);
        while (unit < next)
            unit += o.every;
    }
    time_t begin = time(NULL);
    for (; unit < to && (!o.seconds || time(NULL) - begin < o.seconds); unit += o.every) {
        one_unit(unit, units);
        if (record)
            keep(record, unit);
    }
    if (record)
        fclose(record);
    return report(campaign.tally.units, units);
}
