/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses rules from text. An unreadable line is damage, and nothing of the file is used. An unknown
 * name, or a value out of an algorithm's range, may be a newer version's: only its line is left
 * out. */
#include <ctype.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/quiet.h"
#include "select/tuning.h"

enum { LINE = 1024, WORDS = 16 };

struct parse {
    struct summand__tuning *tuning;
    int line;
    char *fault;
    size_t room;
    unsigned long long model_rows; /* bits of the rows seen so far */
};

static bool damage(const struct parse *parse, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool damage(const struct parse *parse, const char *format, ...)
{
    char text[160];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    snprintf(parse->fault, parse->room, "line %d: %s", parse->line, text);
    return false;
}

static bool out_of_memory(const struct parse *parse)
{
    parse->fault[0] = 0;
    return false;
}

/* Returns true: the line is not damaged. */
static bool leave_out(const struct parse *parse, const char *what, const char *name)
{
    struct summand__tuning *tuning = parse->tuning;
    if (!tuning->left_out++)
        snprintf(tuning->left_out_why, sizeof tuning->left_out_why, "line %d: %s '%.60s'",
                 parse->line, what, name);
    return true;
}

/* Reads an integer from least to most, from `length` characters. */
static bool whole(const char *text, size_t length, long long least, long long most,
                  long long *value)
{
    char copy[32];
    if (!length || length >= sizeof copy || !isdigit((unsigned char)*text))
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    return summand__parse_integer(copy, value) && *value >= least && *value <= most;
}

/* "8", "64/16", "44/uneven", "*", "*" "/4". */
static bool parse_ranks(const struct parse *parse, const char *word,
                        struct summand__tuning_rule *rule)
{
    size_t length = strcspn(word, "/");
    bool any = length == 1 && *word == '*', many = word[length] == '/';
    const char *node = word + length + 1;
    bool uneven = many && !strcmp(node, "uneven");
    long long ranks = 0, size = 0;
    if (!any && !whole(word, length, 1, INT_MAX, &ranks))
        return damage(parse, "'%.40s' is not a number of ranks", word);
    if (many && !uneven && strcmp(node, "*") != 0 &&
        !whole(node, strlen(node), 1, any ? INT_MAX : ranks, &size))
        return damage(parse, "'%.40s': not a number of ranks per node", word);
    rule->ranks = (int)ranks;
    rule->node_size = uneven ? SUMMAND__UNEVEN : (size_t)(many ? size : ranks);
    return true;
}

/* "64k-1m", "4m-". */
static bool parse_bytes(const struct parse *parse, const char *word,
                        struct summand__tuning_rule *rule)
{
    size_t length = strcspn(word, "-");
    const char *last = word + length + 1;
    long long least, end = 0;
    if (!word[length] || !whole(word, length, 0, LLONG_MAX, &least) ||
        (*last && (!whole(last, strlen(last), 0, LLONG_MAX, &end) || end <= least)))
        return damage(parse, "'%.60s' is not a range of bytes such as 64k-1m or 4m-", word);
    rule->least = (size_t)least;
    rule->end = *last ? (size_t)end : SIZE_MAX;
    return true;
}

static int parameter_named(const char *name, size_t length)
{
    for (int i = 0; i < SUMMAND__PARAMETERS; i++) {
        const char *known = summand__parameter_name((enum summand__parameter)i);
        if (strlen(known) == length && !strncmp(known, name, length))
            return i;
    }
    return -1;
}

/* A word as a value: a line with an unknown one is of a later version, and is left out. */
static bool parse_promise(const struct parse *parse, const char *value,
                          struct summand__tuning_rule *rule, bool *known)
{
    if (rule->promises)
        return damage(parse, "'promise=%.40s': given twice", value);
    if (!strcmp(value, "ordered"))
        rule->promises = SUMMAND__RANK_ORDER;
    else if (!strcmp(value, "canonical"))
        rule->promises = SUMMAND__RANK_ORDER | SUMMAND__CANONICAL;
    else
        *known = !leave_out(parse, "no promise is called", value);
    return true;
}

static bool parse_nodes(const struct parse *parse, const char *value,
                        struct summand__tuning_rule *rule, bool *known)
{
    if (rule->runs)
        return damage(parse, "'nodes=%.40s': given twice", value);
    if (!strcmp(value, "runs"))
        rule->runs = true;
    else
        *known = !leave_out(parse, "no parts of nodes are called", value);
    return true;
}

/* "segment=8k", "promise=ordered", "nodes=runs". */
static bool parse_assignment(const struct parse *parse, const char *word,
                             struct summand__tuning_rule *rule, bool *known)
{
    size_t length = strcspn(word, "=");
    const char *text = word + length + 1;
    long long value;
    if (!word[length] || !length)
        return damage(parse, "'%.60s' is not NAME=VALUE", word);
    if (length == 7 && !strncmp(word, "promise", 7))
        return parse_promise(parse, text, rule, known);
    if (length == 5 && !strncmp(word, "nodes", 5))
        return parse_nodes(parse, text, rule, known);
    if (!whole(text, strlen(text), 1, LLONG_MAX, &value))
        return damage(parse, "'%.60s': not an integer from 1", word);
    int which = parameter_named(word, length);
    if (which < 0 || (*known && !rule->algorithm->limits[which].most)) {
        *known = !leave_out(parse, "no such parameter:", word);
        return true;
    }
    const struct summand__limits *limits = *known ? &rule->algorithm->limits[which] : NULL;
    if (limits && ((size_t)value < limits->least || (size_t)value > limits->most)) {
        *known = !leave_out(parse, "out of the algorithm's range:", word);
        return true;
    }
    if (rule->parameter[which])
        return damage(parse, "'%.60s': given twice", word);
    rule->parameter[which] = (size_t)value;
    return true;
}

static bool append(const struct parse *parse, const struct summand__tuning_rule *rule)
{
    struct summand__tuning *tuning = parse->tuning;
    if (tuning->rules == tuning->room) {
        size_t room = tuning->room ? 2 * tuning->room : 64;
        struct summand__tuning_rule *more = realloc(tuning->rule, room * sizeof *more);
        if (!more)
            return out_of_memory(parse);
        tuning->rule = more;
        tuning->room = room;
    }
    tuning->rule[tuning->rules++] = *rule;
    return true;
}

static bool parse_rule(const struct parse *parse, char *const *word, int words)
{
    struct summand__tuning_rule rule = {.collective = SUMMAND__MPI_COLLECTIVES};
    for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
        if (!strcmp(word[0], summand__collective_name((enum summand__collective)c)))
            rule.collective = (enum summand__collective)c;
    if (rule.collective == SUMMAND__MPI_COLLECTIVES)
        return damage(parse, "'%.60s' is not a collective operation", word[0]);
    if (words < 4)
        return damage(parse, "COLLECTIVE RANKS BYTES ALGORITHM expected");
    if (!parse_ranks(parse, word[1], &rule) || !parse_bytes(parse, word[2], &rule))
        return false;
    rule.algorithm = summand__algorithm_named(word[3]);
    bool known = rule.algorithm && rule.algorithm->build[rule.collective];
    if (!known)
        leave_out(parse, rule.algorithm ? "does not do that:" : "no algorithm is called", word[3]);
    for (int w = 4; w < words; w++)
        if (!parse_assignment(parse, word[w], &rule, &known))
            return false;
    return !known || append(parse, &rule);
}

static bool parse_model(struct parse *parse, char *const *word, int words)
{
    const char *name = words > 1 ? word[1] : "", *text = words > 0 ? word[words - 1] : "";
    const struct summand__model_row *row = summand__model_row_named(name);
    char *end;
    double value = strtod(text, &end);
    bool form = words == 3 || (words == 4 && !strcmp(word[2], "="));
    if (!form || end == text || *end)
        return damage(parse, "model NAME = VALUE expected");
    if (!row)
        return leave_out(parse, "no parameter of a model is called", name);
    if (parse->model_rows >> (row - summand__model_rows) & 1)
        return damage(parse, "model %s: given twice", name);
    if (!(value >= row->least && value <= row->most) || (row->whole && value != floor(value)))
        return damage(parse, "%s: %.40s is out of its range", name, text);
    *summand__model_value(&parse->tuning->model, row) = value;
    parse->model_rows |= 1ull << (row - summand__model_rows);
    return true;
}

static bool parse_machine(const struct parse *parse, const char *text)
{
    struct summand__tuning *tuning = parse->tuning;
    if (!*text || strlen(text) >= sizeof tuning->machine)
        return damage(parse, "machine: a text of up to %zu characters expected",
                      sizeof tuning->machine - 1);
    if (*tuning->machine && strcmp(tuning->machine, text) != 0)
        return damage(parse, "a second machine");
    strcpy(tuning->machine, text);
    return true;
}

/* `line` ends with 0; it is changed. */
static bool parse_line(struct parse *parse, char *line)
{
    char *word[WORDS], *rest = NULL;
    int words = 0;
    size_t length = strlen(line);
    while (length && isspace((unsigned char)line[length - 1]))
        line[--length] = 0;
    line += strspn(line, " \t");
    if (!strncmp(line, "machine ", 8))
        return parse_machine(parse, line + 8 + strspn(line + 8, " \t"));
    line[strcspn(line, "#")] = 0;
    for (char *w = strtok_r(line, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest)) {
        if (words == WORDS)
            return damage(parse, "more than %d words", WORDS);
        word[words++] = w;
    }
    if (!words)
        return true;
    return strcmp(word[0], "model") ? parse_rule(parse, word, words)
                                    : parse_model(parse, word, words);
}

/* Copies the line at `text` and terminates it; false if it is too long or not text. */
static bool take_line(const struct parse *parse, const char *text, size_t length, char *line)
{
    if (length >= LINE)
        return damage(parse, "more than %d characters", LINE - 1);
    for (size_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)text[i]) && !isspace((unsigned char)text[i]))
            return damage(parse, "not a character of text");
    memcpy(line, text, length);
    line[length] = 0;
    return true;
}

static bool model_is_whole(struct parse *parse)
{
    unsigned long long all = 0;
    for (const struct summand__model_row *row = summand__model_rows; row->name; row++)
        if (row->standard == 0)
            all |= 1ull << (row - summand__model_rows);
        else if (!(parse->model_rows >> (row - summand__model_rows) & 1))
            *summand__model_value(&parse->tuning->model, row) =
                row->standard > 0 ? row->standard : 0;
    parse->tuning->has_model = (parse->model_rows & all) == all;
    return !parse->model_rows || parse->tuning->has_model ||
           damage(parse, "the model lacks some of its parameters");
}

/* Bytes up to the end of a line, which is LF, CR LF or CR. */
static size_t line_length(const char *text, size_t length)
{
    size_t here = 0;
    while (here < length && text[here] != '\n' && text[here] != '\r')
        here++;
    return here;
}

/* Bytes of the byte order mark that some editors write first, or 0. */
static size_t mark_length(const char *text, size_t length)
{
    return length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

static bool parse_text(struct parse *parse, const char *text, size_t length)
{
    char line[LINE];
    bool good = true;
    size_t at = mark_length(text, length);
    while (good && at < length) {
        size_t here = line_length(text + at, length - at);
        parse->line++;
        good = take_line(parse, text + at, here, line) && parse_line(parse, line);
        at += here;
        at += length - at > 1 && text[at] == '\r' && text[at + 1] == '\n' ? 2 : 1;
    }
    return good && model_is_whole(parse);
}

/* Uses the C locale, like the writer: with a decimal comma a number would end at its point. */
bool summand__tuning_parse(struct summand__tuning *tuning, const char *text, size_t length,
                           char *fault, size_t room)
{
    struct parse parse = {tuning, 0, fault, room, 0};
    *tuning = (struct summand__tuning){.rule = NULL};
    locale_t callers = uselocale(summand__plain_locale());
    bool good = parse_text(&parse, text, length);
    uselocale(callers);
    if (!good)
        summand__tuning_free(tuning);
    return good;
}

void summand__tuning_free(struct summand__tuning *tuning)
{
    free(tuning->rule);
    *tuning = (struct summand__tuning){.rule = NULL};
}

bool summand__tuning_has_model(const char *text, size_t length)
{
    static const char word[] = "model";
    enum { LETTERS = sizeof word - 1 };
    for (size_t at = mark_length(text, length); at < length;) {
        const size_t end = at + line_length(text + at, length - at);
        while (at < end && (text[at] == ' ' || text[at] == '\t'))
            at++;
        if (at + LETTERS < end && !memcmp(text + at, word, LETTERS) &&
            (text[at + LETTERS] == ' ' || text[at + LETTERS] == '\t'))
            return true;
        at = end + 1;
    }
    return false;
}
