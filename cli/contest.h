/* All algorithms that do a call, predicted on one machine for many rank counts or sizes. */
#ifndef SUMMAND_CLI_CONTEST_H
#define SUMMAND_CLI_CONTEST_H

#include <stdbool.h>
#include <stddef.h>

#include "numbers.h"
#include "reduce/forecast.h"

enum { CONTEST_ALGORITHMS = 64 };

struct contest_setup {
    const char *command; /* who complains */
    enum summand__collective collective;
    struct numbers ranks, counts; /* one of them has one number */
    long long root;
    size_t element; /* bytes */
    struct summand__model model;
    const char *model_name;
    const char *only;                  /* this algorithm; NULL: all */
    bool rank_order;                   /* only those that keep it */
    bool tune;                         /* try radices and leaders too, not segments alone */
    size_t fixed[SUMMAND__PARAMETERS]; /* 0: free */
    size_t most_bytes;
    double patience; /* seconds of processor time for one prediction; 0: no end */
};

/* One algorithm at one point, with its best parameters. */
struct contest_entry {
    bool known; /* it does the call and was predicted */
    size_t parameter[SUMMAND__PARAMETERS];
    double seconds;
    size_t messages[SUMMAND__REACHES], bytes[SUMMAND__REACHES];
};

struct contest_crossing {
    long long at; /* the first count, or rank count, at which `after` is faster */
    bool exact;   /* else somewhere up to `at` */
    int before, after;
};

struct contest {
    const struct contest_setup *setup;
    int algorithms, points;
    const struct summand__algorithm *algorithm[CONTEST_ALGORITHMS];
    struct contest_entry *entries; /* [algorithm][point] */
    int best[NUMBERS_MOST];        /* algorithm, or -1 */
    int crossings;
    struct contest_crossing crossing[NUMBERS_MOST];
};

int contest_ranks(const struct contest_setup *setup, int point);
size_t contest_count(const struct contest_setup *setup, int point);
bool contest_by_ranks(const struct contest_setup *setup);
const struct contest_entry *contest_at(const struct contest *contest, int algorithm, int point);

/* Says on stderr which predictions had to be left out, and why. After Ctrl-C the points that are
 * not complete are left away. */
bool contest_run(const struct contest_setup *setup, struct contest *contest);
void contest_free(struct contest *contest);

/* Predicts one algorithm with these parameters for a call of so many ranks and elements. */
bool contest_predict(const struct contest_setup *setup, const struct summand__algorithm *algorithm,
                     const size_t parameter[SUMMAND__PARAMETERS], int ranks, size_t count,
                     struct summand__predict *predict);

/* The algorithm's best parameters, by the search of the automatic choice with the play instead of
 * estimates; .known is false where it does not do the call. */
struct contest_entry contest_best(const struct contest_setup *setup,
                                  const struct summand__algorithm *algorithm, int ranks,
                                  size_t count);

/* " segment=1024 radix=4": the parameters that the algorithm has. */
void contest_parameters_text(const struct summand__algorithm *algorithm,
                             const size_t parameter[SUMMAND__PARAMETERS], char *text, size_t room);

void contest_print(const struct contest *contest);
void contest_csv(const struct contest *contest);
int contest_json(const struct contest *contest);
bool contest_svg(const struct contest *contest, const char *path);

#endif
