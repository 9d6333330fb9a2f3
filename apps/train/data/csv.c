/* SPDX-License-Identifier: BSD-3-Clause */
/* One sample per line: its class, then its features, separated by commas. Features are not scaled.
 * Lines end with LF, CR LF or CR; a byte order mark at the beginning is skipped. A first line
 * without any number is a heading; the note mentions it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/data/bytes.h"

/* Makes every line end with LF, and removes what precedes the first one. */
static void make_plain(struct train_bytes *bytes)
{
    static const char mark[] = "\xef\xbb\xbf";
    const char *from = bytes->at, *end = bytes->at + bytes->count;
    char *to = bytes->at;
    if (!strncmp(from, mark, strlen(mark)))
        from += strlen(mark);
    for (; from < end; from++)
        if (*from != '\r')
            *to++ = *from;
        else if (from[1] != '\n')
            *to++ = '\n';
    *to = '\0';
    bytes->count = (size_t)(to - bytes->at);
}

static bool is_blank(const char *line, size_t length)
{
    return strspn(line, " \t") >= length;
}

/* Counts the lines that are not empty, and the numbers in the first one. */
static void count(const char *text, size_t *lines, size_t *fields)
{
    *lines = *fields = 0;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        if (!is_blank(at, length) && !(*lines)++)
            for (size_t i = *fields = 1; i < length; i++)
                *fields += at[i] == ',';
        at += length + (at[length] == '\n');
    }
}

/* True if a field, perhaps in quotes, is a number; for the first one: if it begins with a
 * number. */
static bool is_number(const char *field, bool first)
{
    char *end;
    field += strspn(field, " \t\"'");
    if (strchr("\n,", *field)) /* strtod would continue on the next line */
        return false;
    strtod(field, &end);
    return end != field && ((first && strchr("+-.0123456789", *field)) ||
                            strchr("\n,", end[strspn(end, " \t\"'")]));
}

/* Bytes of a heading at the beginning of this line; 0: there is none. */
static size_t heading_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    for (size_t i = 0; i < length; i++)
        if ((!i || line[i - 1] == ',') && is_number(line + i, !i))
            return 0;
    return length;
}

/* Skips empty lines and a heading, and notes the heading. Returns the number of the next line. */
static size_t skip_heading(const char **text, const char *name, char *note, size_t room)
{
    enum { SHOWN = 60 };
    size_t line = 1, length = strcspn(*text, "\n");
    for (; (*text)[length] && is_blank(*text, length); length = strcspn(*text, "\n"), line++)
        *text += length + 1;
    length = heading_length(*text);
    if (!length || is_blank(*text, length))
        return line;
    snprintf(note, room, "%s: line %zu is taken as a heading: %.*s%s", name, line,
             (int)(length < SHOWN ? length : SHOWN), *text, length < SHOWN ? "" : "...");
    *text += length + ((*text)[length] == '\n');
    return line + 1;
}

/* Reads one number, and checks the character after it. */
static bool read_field(const char **at, bool last, double *value)
{
    char *end;
    *value = strtod(*at, &end);
    bool good = end != *at && !memchr(*at, '\n', (size_t)(end - *at)) && isfinite((float)*value);
    end += strspn(end, " \t");
    good = good && (last ? *end == '\n' || !*end : *end == ',');
    *at = good && *end ? end + 1 : end;
    return good;
}

/* Reads the lines of a part; `classes`: each begins with one. */
static bool read_lines(const char *text, size_t line, bool classes, const struct train_bytes *bytes,
                       struct train_samples *part, struct summand__net_fault *fault)
{
    float *values = part->values;
    for (size_t s = 0; s < part->count; line++) {
        size_t length = strcspn(text, "\n");
        if (is_blank(text, length)) {
            text += length + 1;
            continue;
        }
        double value = 0;
        bool good = !classes || (read_field(&text, false, &value) && value == floor(value) &&
                                 value >= 0 && value < 65536);
        part->label[s] = good ? (int32_t)value : 0;
        for (size_t j = 0; good && j < part->features; j++) {
            good = read_field(&text, j + 1 == part->features, &value);
            values[s * part->features + j] = (float)value;
        }
        if (!good)
            return summand__net_fail(
                fault, "%s: line %zu: not %s%zu finite numbers with commas between", bytes->path,
                line, classes ? "a class (0, 1, ...) and " : "", part->features);
        s++;
    }
    return true;
}

/* name: of the file, for the note of a heading. */
static bool read_part(struct train_bytes *bytes, const char *name, bool classes,
                      struct train_samples *part, struct summand__net_fault *fault)
{
    char note[sizeof part->note] = "";
    size_t lines, fields;
    bool good = strlen(bytes->at) == bytes->count ||
                summand__net_fail(fault, "%s: there is a byte 0 in it", bytes->path);
    make_plain(bytes);
    const char *text = bytes->at;
    size_t line = skip_heading(&text, name, note, sizeof note);
    count(text, &lines, &fields);
    good = good && ((lines && fields > (size_t)classes) ||
                    summand__net_fail(fault, "%s: no line with %s", bytes->path,
                                      classes ? "a class and a feature" : "a number"));
    good = good && train_samples_make(part, lines, fields - classes, false, fault) &&
           read_lines(text, line, classes, bytes, part, fault);
    if (good)
        memcpy(part->note, note, sizeof note);
    return good;
}

static bool load_part(const char *folder, const char *name, struct train_samples *part,
                      struct summand__net_fault *fault)
{
    struct train_bytes bytes;
    bool good =
        train_bytes_read(folder, name, &bytes, fault) && read_part(&bytes, name, true, part, fault);
    train_bytes_free(&bytes);
    return good;
}

static bool load(const char *folder, struct train_data *data, struct summand__net_fault *fault)
{
    return load_part(folder, "train.csv", &data->train, fault) &&
           (!train_bytes_there(folder, "test.csv") ||
            load_part(folder, "test.csv", &data->test, fault));
}

static bool is_samples(const struct train_bytes *bytes)
{
    (void)bytes; /* text has no mark */
    return false;
}

static bool read_samples(struct train_bytes *bytes, struct train_samples *samples,
                         struct summand__net_fault *fault)
{
    const char *slash = strrchr(bytes->path, '/');
    return read_part(bytes, slash ? slash + 1 : bytes->path, false, samples, fault);
}

const struct train_format train_format_csv = {.name = "csv",
                                              .files = "train.csv, test.csv: class,feature,...",
                                              .first = "train.csv",
                                              .load = load,
                                              .is_samples = is_samples,
                                              .samples = read_samples};
