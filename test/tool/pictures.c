/* SPDX-License-Identifier: BSD-3-Clause */
/* What pictures share: the colours of methods, the texts of ticks, bars instead of curves of one
 * point. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "cli/common/methods.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_axis.h"
#include "cli/plot/svg_methods.h"
#include "cli/plot/svg_style.h"
#include "gossip/machine.h"

static int failed;

#define CHECK(holds, ...)                                                                          \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "FAILED: " __VA_ARGS__);                                               \
            fputc('\n', stderr);                                                                   \
            failed++;                                                                              \
        }                                                                                          \
    } while (0)

enum { MOST = 128 };

/* The lines of one picture that shows all methods of a kind. */
struct lines {
    int count;
    struct svg_series line[MOST];
};

static void add(struct lines *lines, const char *name)
{
    CHECK(svg_method_named(name), "%s has no colour: a row of svg_methods.c is missing", name);
    lines->line[lines->count++] = (struct svg_series){.name = name};
}

/* Linear light of "#0072b2". */
static void light_of(const char *colour, double light[3])
{
    unsigned rgb = (unsigned)strtoul(colour + 1, NULL, 16);
    for (int i = 0; i < 3; i++) {
        double c = (rgb >> (16 - 8 * i) & 255) / 255.0;
        light[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
}

static double lab(double t)
{
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* What readers with all cones, without red and without green ones see: Vienot, Brettel and Mollon
 * (1999, "Digital video colourmaps for checking the legibility of displays by dichromats"). */
static const double eyes[3][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
    {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}}};

/* The CIE's L*, a*, b*. */
static void seen(const char *colour, int eye, double to[3])
{
    double light[3], l[3];
    light_of(colour, light);
    for (int i = 0; i < 3; i++) {
        l[i] = 0;
        for (int j = 0; j < 3; j++)
            l[i] += eyes[eye][i][j] * light[j];
        l[i] = fmax(0, l[i]);
    }
    double x = lab((0.4124 * l[0] + 0.3576 * l[1] + 0.1805 * l[2]) / 0.9505),
           y = lab(0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]),
           z = lab((0.0193 * l[0] + 0.1192 * l[1] + 0.9505 * l[2]) / 1.089);
    to[0] = 116 * y - 16;
    to[1] = 500 * (x - y);
    to[2] = 200 * (y - z);
}

/* The least distance that any of these readers sees. */
static double distance(const char *a, const char *b)
{
    double least = INFINITY;
    for (int eye = 0; eye < 3; eye++) {
        double p[3], q[3];
        seen(a, eye, p);
        seen(b, eye, q);
        least = fmin(least, sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2)));
    }
    return least;
}

static void check_apart(const struct svg_series *a, const struct svg_series *b)
{
    const double clear = 10;
    CHECK(svg_marker_of(a) != svg_marker_of(b) || strcmp(svg_dashes_of(a), svg_dashes_of(b)) ||
              distance(svg_colour(a), svg_colour(b)) > clear,
          "%s and %s: not apart for all readers", a->name, b->name);
}

/* What is drawn, in memory. */
struct text {
    FILE *out;
    char *text;
};

enum { ROOM = 1 << 16 };

static struct text text_begin(void)
{
    char *text = calloc(ROOM, 1);
    FILE *out = text ? fmemopen(text, ROOM, "w") : NULL;
    if (!out)
        abort();
    return (struct text){out, text};
}

static void text_end(struct text *text)
{
    CHECK(!ferror(text->out) && ftell(text->out) < ROOM - 1, "no room for a picture");
    fclose(text->out);
}

static double luminance(const char *colour)
{
    double light[3];
    light_of(colour, light);
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
}

/* A dark page (#0d1117) has another colour, which is clear on it (WCAG 2.1: graphics 3 to 1). */
static void check_pages(const struct svg_series *line)
{
    char rule[32], dark[8] = "";
    struct text sheet = text_begin();
    svg_style_sheet(sheet.out);
    svg_method_sheet(sheet.out, line, 1);
    text_end(&sheet);
    snprintf(rule, sizeof rule, "[fill=\"%s\"]{fill:", svg_colour(line));
    const char *at = strstr(sheet.text, rule);
    if (at)
        snprintf(dark, sizeof dark, "%s", at + strlen(rule));
    free(sheet.text);
    CHECK(*dark, "%s: %s stays on a dark page", line->name, svg_colour(line));
    if (!*dark)
        return;
    double on_white = 1.05 / (luminance(svg_colour(line)) + 0.05);
    double on_black = (luminance(dark) + 0.05) / (luminance("#0d1117") + 0.05);
    CHECK(on_white > 2.2 && on_black > 3, "%s: contrast %.1f on white, %.1f on black", line->name,
          on_white, on_black);
}

static void check_lines(struct lines *lines)
{
    svg_look(lines->line, lines->count);
    for (int i = 0; i < lines->count; i++) {
        struct svg_series alone = {.name = lines->line[i].name};
        svg_look(&alone, 1);
        CHECK(!strcmp(svg_colour(&alone), svg_colour(&lines->line[i])),
              "%s: another colour in another picture", alone.name);
        for (int j = 0; j < i; j++)
            check_apart(&lines->line[i], &lines->line[j]);
        check_pages(&lines->line[i]);
    }
}

static void test_methods(void)
{
    struct lines calls = {0}, outer = {0}, gemm = {0}, sums = {0}, gossip = {0};
    add(&calls, "auto");
    add(&calls, "mpi");
    add(&calls, "memory");
    add(&outer, "auto");
    add(&outer, "mpi-allreduce");
    add(&gemm, "ordered");
    add(&gemm, "any");
    add(&gemm, "peak");
    add(&sums, "fast");
    for (int i = 0; summand__algorithms[i]; i++)
        add(summand__algorithms[i]->build[SUMMAND__COLL_OUTER]  ? &outer
            : summand__algorithms[i]->build[SUMMAND__COLL_GEMM] ? &gemm
                                                                : &calls,
            summand__algorithms[i]->name);
    for (int i = 0; i < METHODS_NAMED; i++)
        add(&sums, methods[i].name);
    for (int i = 0; summand__gossip_algorithms[i]; i++)
        add(&gossip, summand__gossip_algorithms[i]->name);
    check_lines(&calls);
    check_lines(&outer);
    check_lines(&gemm);
    check_lines(&sums);
    check_lines(&gossip);
}

/* Lines of one method have its colour, and differ in dashes. */
static void test_variants(void)
{
    static const char *const pairs[][2] = {{"exact", "exact-call"},
                                           {"auto", "auto:promise=canonical"},
                                           {"chain:segment=8k", "chain:segment=64k"},
                                           {"mpi", "mpi-reduce-scatter"},
                                           {"HPFLC root", "HPFLC all"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct svg_series line[2] = {{.name = pairs[i][0]}, {.name = pairs[i][1]}};
        svg_look(line, 2);
        CHECK(!strcmp(svg_colour(&line[0]), svg_colour(&line[1])), "%s and %s: two colours",
              line[0].name, line[1].name);
        CHECK(strcmp(svg_dashes_of(&line[0]), svg_dashes_of(&line[1])),
              "%s and %s: the same dashes", line[0].name, line[1].name);
    }
    struct svg_series mixed[] = {
        {.name = "naive"}, {.name = "a"}, {.name = "exact"}, {.name = "b"}};
    svg_look(mixed, 4);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            check_apart(&mixed[i], &mixed[j]);
}

/* Methods beyond the palette need a row with the next number, and nothing else. */
static void test_beyond(void)
{
    enum { ALL = 2 * SVG_PALETTE };
    static char name[ALL][16];
    struct svg_series line[ALL + 1];
    for (int i = 0; i < ALL; i++) {
        snprintf(name[i], sizeof name[i], "method %d", i);
        line[i] = (struct svg_series){.name = name[i]};
        svg_method_look(line, i, i);
        for (int j = 0; j < i; j++)
            check_apart(&line[i], &line[j]);
        CHECK(i < SVG_PALETTE || !strcmp(svg_colour(&line[i]), svg_colour(&line[i % SVG_PALETTE])),
              "%d: another colour", i);
        check_pages(&line[i]);
    }
    for (int i = 0; i < SVG_PALETTE; i++)
        for (int j = 0; j < i; j++)
            CHECK(strcmp(svg_colour(&line[i]), svg_colour(&line[j])), "%d and %d: one colour", i,
                  j);
    line[ALL] = (struct svg_series){.name = "method 30-call"};
    svg_method_look(line, ALL, SVG_PALETTE);
    for (int j = 0; j < ALL; j++)
        check_apart(&line[ALL], &line[j]);
}

static const struct {
    enum svg_unit unit;
    bool log;
    double values[4];
    const char *texts;
} ticks[] = {{SVG_NUMBER, true, {10, 100, 1000, 10000}, "10 100 1k 10k"},
             {SVG_NUMBER, true, {1, 10, 100, 1000}, "1 10 100 1000"},
             {SVG_NUMBER, false, {500, 1e6, 1.5e6, 2e6}, "500 1M 1.5M 2M"},
             {SVG_NUMBER, true, {460, 1602, 239763, 1e6}, "460 1602 239763 1000000"},
             {SVG_NUMBER, true, {16, 1024, 65536, 2097152}, "16 1 Ki 64 Ki 2 Mi"},
             {SVG_NUMBER, true, {1e-14, 1e-4, 1, 1000}, "1e-14 1e-4 1 1e3"},
             {SVG_NUMBER, false, {0, 0.25, 0.5, 0.75}, "0 0.25 0.5 0.75"},
             {SVG_SIZE, true, {8, 1024, 65536, 2097152}, "8 1 Ki 64 Ki 2 Mi"},
             {SVG_SIZE, true, {8, 1000, 10000, 2e6}, "8 1k 10k 2M"},
             {SVG_TIME, true, {1e-7, 1e-6, 1e-3, 10}, "100 ns 1 us 1 ms 10 s"},
             {SVG_TIME, false, {0, 5e-4, 1e-3, 1.5e-3}, "0 ms 0.5 ms 1 ms 1.5 ms"}};

static void test_ticks(void)
{
    for (size_t k = 0; k < sizeof ticks / sizeof *ticks; k++) {
        const double *v = ticks[k].values;
        struct svg_axis axis = svg_axis(ticks[k].unit, ticks[k].log, v[0], v[3], 0, 10000);
        char all[128] = "", text[32];
        svg_axis_ticks(&axis, v, 4);
        CHECK(axis.ticks == 4, "%s: %d ticks of 4", ticks[k].texts, axis.ticks);
        for (int i = 0; i < axis.ticks; i++) {
            svg_axis_text(&axis, axis.tick[i], text, sizeof text);
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "", text);
        }
        CHECK(!strcmp(all, ticks[k].texts), "ticks '%s', not '%s'", all, ticks[k].texts);
    }
}

/* Ticks that no points give. */
static void test_own_ticks(void)
{
    struct svg_axis sizes = svg_axis(SVG_SIZE, true, 8, 16 << 20, 0, 500);
    struct svg_axis times = svg_axis(SVG_TIME, true, 1e-7, 1, 0, 500);
    CHECK(sizes.ticks >= 3 && times.ticks >= 3, "%d and %d ticks", sizes.ticks, times.ticks);
    for (int i = 0; i < sizes.ticks; i++)
        CHECK(log2(sizes.tick[i]) == floor(log2(sizes.tick[i])), "%g is no power of two",
              sizes.tick[i]);
}

static int times_in(const char *text, const char *what)
{
    int count = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        count++;
    return count;
}

static void test_bars(void)
{
    struct svg_point points[4] = {
        {8, 2e-6, 1e-6, 3e-6}, {8, 5e-6, 5e-6, 5e-6}, {8, 1, 1, 1}, {16, 1, 1, 1}};
    struct svg_series lines[2] = {{.name = "auto", .points = 1, .point = points},
                                  {.name = "mpi", .points = 1, .point = points + 1}};
    for (int two = 0; two < 2; two++) {
        struct text picture = text_begin();
        lines[0].points = 1;
        if (two)
            lines[1] = (struct svg_series){.name = "mpi", .points = 2, .point = points + 2};
        svg_look(lines, 2);
        svg_chart(picture.out, &(struct svg_chart){.title = "t",
                                                   .x_label = "bytes",
                                                   .y_label = "time",
                                                   .x_unit = SVG_SIZE,
                                                   .y_unit = SVG_TIME,
                                                   .log_x = true,
                                                   .log_y = true,
                                                   .count = 2,
                                                   .series = lines,
                                                   .width = 700,
                                                   .height = 400,
                                                   .labels = true});
        text_end(&picture);
        const char *text = picture.text;
        CHECK(times_in(text, "<polyline") == (two ? 2 : 0), "%d sizes: polylines", two + 1);
        if (!two) {
            CHECK(times_in(text, "<g><title>") == 2, "not two bars");
            CHECK(strstr(text, ">t; bytes: 8</text>"), "the title does not tell the size");
            CHECK(strstr(text, ">2 us</text>") && strstr(text, ">5 us</text>"), "no values");
        }
        free(picture.text);
    }
}

/* A line without marks, and rings on it that have no name beside them. */
static void test_parts(void)
{
    struct svg_point points[2] = {{1, 1, 1, 1}, {2, 3, 3, 3}};
    struct svg_series lines[2] = {
        {.name = "line", .points = 2, .point = points, .parts = SVG_LINE},
        {.name = "ring", .points = 2, .point = points, .parts = SVG_RINGS}};
    struct text picture = text_begin();
    svg_chart(picture.out, &(struct svg_chart){.title = "t",
                                               .x_label = "x",
                                               .y_label = "y",
                                               .count = 2,
                                               .series = lines,
                                               .width = 700,
                                               .height = 400,
                                               .labels = true});
    text_end(&picture);
    CHECK(times_in(picture.text, "<polyline") == 1, "not one line");
    CHECK(times_in(picture.text, "<circle") == 2, "not two rings");
    CHECK(times_in(picture.text, ">line</text>") == 1, "the line has no name");
    CHECK(!times_in(picture.text, ">ring</text>"), "rings have a name");
    free(picture.text);
}

int main(void)
{
    test_methods();
    test_variants();
    test_beyond();
    test_ticks();
    test_own_ticks();
    test_bars();
    test_parts();
    return failed != 0;
}
