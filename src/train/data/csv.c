/* A sample a line: its class, then its features, with commas between. A first line that does not
 * begin with a number is a heading. Features are taken as they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "train/data/bytes.h"
#include "train/data/formats.h"

/* Lines with something on them, and numbers in the first one. */
static void count(const char *text, size_t *lines, size_t *fields)
{
    *lines = *fields = 0;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        if (strspn(at, " \t\r") < length && !(*lines)++)
            for (size_t i = *fields = 1; i < length; i++)
                *fields += at[i] == ',';
        at += length + (at[length] == '\n');
    }
}

static bool is_heading(const char *text)
{
    char *end;
    strtod(text, &end);
    return end == text && *text && *text != '\n';
}

/* One number, and what must stand behind it. */
static bool read_field(const char **at, bool last, double *value)
{
    char *end;
    *value = strtod(*at, &end);
    bool good = end != *at && !memchr(*at, '\n', (size_t)(end - *at)) && isfinite((float)*value);
    end += strspn(end, " \t\r");
    good = good && (last ? *end == '\n' || !*end : *end == ',');
    *at = good && *end ? end + 1 : end;
    return good;
}

static bool read_lines(const char *text, const struct train_bytes *bytes,
                       struct train_samples *part, struct train_fault *fault)
{
    float *values = part->values;
    size_t line = text == bytes->at ? 1 : 2;
    for (size_t s = 0; s < part->count; line++) {
        size_t length = strcspn(text, "\n");
        if (strspn(text, " \t\r") >= length) {
            text += length + 1;
            continue;
        }
        double value;
        bool good = read_field(&text, false, &value) && value == floor(value) && value >= 0 &&
                    value < 65536;
        part->label[s] = good ? (int32_t)value : 0;
        for (size_t j = 0; good && j < part->features; j++) {
            good = read_field(&text, j + 1 == part->features, &value);
            values[s * part->features + j] = (float)value;
        }
        if (!good)
            return train_fail(fault,
                              "%s: line %zu: not a class (0, 1, ...) and %zu finite numbers with "
                              "commas between",
                              bytes->path, line, part->features);
        s++;
    }
    return true;
}

static bool load_part(const char *folder, const char *name, struct train_samples *part,
                      struct train_fault *fault)
{
    struct train_bytes bytes;
    size_t lines, fields;
    if (!train_bytes_read(folder, name, &bytes, fault))
        return false;
    const char *text = bytes.at;
    if (is_heading(text))
        text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    count(text, &lines, &fields);
    bool good = strlen(bytes.at) == bytes.count ||
                train_fail(fault, "%s: there is a byte 0 in it", bytes.path);
    good = good && ((lines && fields > 1) ||
                    train_fail(fault, "%s: no line with a class and a feature", bytes.path));
    good = good && train_samples_make(part, lines, fields - 1, false, fault) &&
           read_lines(text, &bytes, part, fault);
    train_bytes_free(&bytes);
    return good;
}

static bool load(const char *folder, struct train_data *data, struct train_fault *fault)
{
    return load_part(folder, "train.csv", &data->train, fault) &&
           (!train_bytes_there(folder, "test.csv") ||
            load_part(folder, "test.csv", &data->test, fault));
}

const struct train_format train_format_csv = {"csv", "train.csv, test.csv: class,feature,...",
                                              "train.csv", load};
