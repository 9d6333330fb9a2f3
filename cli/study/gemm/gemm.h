/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures and tables of Schmidtobreick (2017), chapter 5: products of n x n matrices over two
 * groups of ranks. A and C lie on a grid of P x P ranks, B on another one, so there are 2 P^2
 * ranks. Blocks have b x b elements; a rank has nu_l = n / (P b) of them in a row. */
#pragma once

#include <stdbool.h>

#include "algorithm/algorithm.h"
#include "cli/options/numbers.h"

extern const struct command study_gemm;

enum {
    GEMM_LINES = 64,
    GEMM_POINTS = 64,
    GEMM_CHARTS = 4,
    GEMM_AXIS = 12,
    GEMM_DRAWN = 8,
    GEMM_FILES = 8
};

struct gemm_request {
    struct summand__model model;
    struct numbers grids, sizes; /* P and n, ascending: at most GEMM_AXIS of each, GEMM_DRAWN in
                      figures */
    const struct summand__algorithm *only; /* NULL: those of the library */
    double most;                           /* products of blocks in one prediction */
    long long segment; /* elements in a call of an all-reduce of a block; 0: the algorithm's */
    int local;         /* nu_l, of tables 5.4 to 5.8 */
    int files;
    const char *file[GEMM_FILES]; /* times simulated by bench/scale_gemm.sh, and predicted ones */
};

/* Where the points of a line are from. */
enum gemm_kind { GEMM_FORMULA, GEMM_CROSSING, GEMM_PLAYED, GEMM_PREDICTED, GEMM_SIMULATED };

struct gemm_line {
    char name[48];
    int chart;
    enum gemm_kind kind;
    int count;
    struct gemm_point {
        double x, y;
        long long block; /* b, or 0 */
    } point[GEMM_POINTS];
};

struct gemm_lines {
    char chart[GEMM_CHARTS][128]; /* titles, and labels of their x */
    const char *x_label[GEMM_CHARTS];
    int charts, count;
    struct gemm_line line[GEMM_LINES];
    bool failed; /* after a complaint */
};

/* Adds a line, or a point to it. */
struct gemm_line *gemm_line(struct gemm_lines *lines, int chart, enum gemm_kind kind,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));
void gemm_point(struct gemm_line *line, double x, double y, long long block);

struct gemm_figure {
    const char *number, *title, *y_label;
    bool log, seconds; /* axes; the unit of y */
    void (*fill)(const struct gemm_request *request, struct gemm_lines *lines);
};

void gemm_figure_loop(const struct gemm_request *request, struct gemm_lines *lines);       /* 5.5 */
void gemm_figure_block(const struct gemm_request *request, struct gemm_lines *lines);      /* 5.6 */
void gemm_figure_time(const struct gemm_request *request, struct gemm_lines *lines);       /* 5.7 */
void gemm_figure_speedup(const struct gemm_request *request, struct gemm_lines *lines);    /* 5.8 */
void gemm_figure_efficiency(const struct gemm_request *request, struct gemm_lines *lines); /* 5.9 */
void gemm_figure_weak(const struct gemm_request *request, struct gemm_lines *lines); /* 5.10 */

/* Prints the times of figures 5.7 to 5.10 as a CSV file like that of bench/scale_gemm.sh; returns
 * the exit status. */
int gemm_print_times(const struct gemm_request *request);

/* Prints a figure, or draws it into `path` too; as JSON. Returns the exit status. */
int gemm_show(const struct gemm_figure *figure, const struct gemm_request *request,
              const struct gemm_lines *lines, const char *path, bool json);

/* Tables. */
int gemm_table_body(const struct gemm_request *request, bool json);    /* 5.4 to 5.8 */
int gemm_table_largest(const struct gemm_request *request, bool json); /* 5.12 */
int gemm_table_blocks(const struct gemm_request *request, bool json);  /* 5.13 */
int gemm_table_local(const struct gemm_request *request, bool json);   /* 5.14 */

/* Formulas, in T_block: (5.6) and (5.7). */
double gemm_loop_by_rows(double p, double local);
double gemm_loop_by_diagonals(double p, double local);
/* The same by the play of an algorithm's schedules in which a block takes 1 and all else nothing:
 * each rank multiplies one piece for each block, so the inner dimension has 2 P pieces. NAN
 * without an answer (`most`, Ctrl-C). */
double gemm_loop_played(const struct gemm_request *request,
                        const struct summand__algorithm *algorithm, int p, int local);

/* (5.21): whether a triple fits into the segments of table 5.11. That of 2 x 2 serves 1 x 1, too;
 * no bound is known for other grids. */
bool gemm_fits(int p, long long n, long long block);

/* Predicted seconds of one product. `block` 0: one block on each rank, and panels of the library's
 * choice. NAN without an answer: more than request->most products of blocks, Ctrl-C, or a play that
 * fails, which is told on stderr. */
double gemm_predicted(const struct gemm_request *request,
                      const struct summand__algorithm *algorithm, int p, long long n,
                      long long block);

/* The fastest block that fits: of n / P, n / (2 P), ... until one takes twice the least time. */
struct gemm_best {
    double seconds; /* NAN: none is known */
    long long block;
    int tried;
    bool bounded; /* `most`, or steps of all-reduces, ended the search */
};
struct gemm_best gemm_best(const struct gemm_request *request,
                           const struct summand__algorithm *algorithm, int p, long long n);
