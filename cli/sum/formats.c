/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of formats, and which one a file has: by its first bytes, then by its name. */
#include <inttypes.h>
#include <string.h>

#include "cli/sum/source.h"

/* Every format once. */
#define FORMATS(X) X(binpsllh) X(psllh) X(npy) X(npz) X(f64) X(f32) X(csv) X(text)

#define DECLARE(name) extern const struct data_format format_##name;
FORMATS(DECLARE)
#undef DECLARE

const struct data_format *const data_formats[] = {
#define ENTRY(name) &format_##name,
    FORMATS(ENTRY)
#undef ENTRY
        NULL};

const char *const format_choices[] = {"auto",
#define NAME(name) #name,
                                      FORMATS(NAME)
#undef NAME
                                          NULL};

/* First bytes that tell a format, or what reads the file. Raw numbers may begin with the short
 * ones.
 */
static const struct magic {
    const char *bytes;
    const struct data_format *format;
    const char *what, *instead;
} magics[] = {
    {"\x93NUMPY", &format_npy, NULL, NULL},
    {"PK\3\4", &format_npz, NULL, NULL},
    {"PK\5\6", &format_npz, NULL, NULL},
    {"\x1f\x8b\x08", NULL, "compressed by gzip", "'zcat FILE | summand sum -' reads it"},
    {"\xfd"
     "7zXZ",
     NULL, "compressed by xz", "'xzcat FILE | summand sum -' reads it"},
    {"BZh", NULL, "compressed by bzip2", "'bzcat FILE | summand sum -' reads it"},
    {"\x28\xb5\x2f\xfd", NULL, "compressed by zstd", "'zstdcat FILE | summand sum -' reads it"},
    {"\x89HDF\r\n", NULL, "an HDF5 file",
     "'h5dump -d DATASET -b LE -o x.f64 FILE' writes its doubles as raw numbers, x.f64"},
    {"CDF", NULL, "a NetCDF file", "numpy.save('x.npy', variable[:]) writes what can be read"},
    {"MATLAB 5.0 MAT-file", NULL, "a MATLAB file", "save -ascii writes what can be read"},
    {"PAR1", NULL, "a Parquet file", "to_csv of pandas writes what can be read"},
    {"\xff\xfe", NULL, "text in UTF-16",
     "'iconv -f UTF-16 -t UTF-8 FILE | summand sum -' reads it"},
    {"\xfe\xff", NULL, "text in UTF-16",
     "'iconv -f UTF-16 -t UTF-8 FILE | summand sum -' reads it"}};

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), end = strlen(ending);
    return length >= end && !strcmp(path + length - end, ending);
}

static const struct data_format *format_of_name(const char *path)
{
    static const char *const tables[] = {".tsv", ".dat", ".asc"};
    for (int i = 0; data_formats[i]; i++)
        if (ends_in(path, data_formats[i]->ending))
            return data_formats[i];
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (ends_in(path, tables[i]))
            return &format_csv;
    return NULL;
}

const struct data_format *format_chosen(int choice, const char *path)
{
    return choice ? data_formats[choice - 1] : format_of_name(path);
}

/* Bytes of a character of UTF-8 that begins here, or of as much of it as is there; 0: none does. */
static size_t utf8(const unsigned char *at, size_t left)
{
    size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    length = *at > 0xf4 ? 0 : length;
    for (size_t i = 1; i < length && i < left; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return length < left ? length : left;
}

/* True for a control character that is not white space: no encoding of text has them. */
static bool is_control(unsigned char byte)
{
    return byte == 0x7f || (byte < ' ' && !(byte >= '\t' && byte <= '\r'));
}

static bool has_controls(const unsigned char *bytes, size_t count)
{
    size_t i = 0;
    while (i < count && !is_control(bytes[i]))
        i++;
    return i < count;
}

/* True for UTF-8 without control characters but white space. */
static bool is_text(const unsigned char *bytes, size_t count)
{
    size_t step;
    for (size_t i = 0; i < count; i += step) {
        step = utf8(bytes + i, count - i);
        if (is_control(bytes[i]) || !step)
            return false;
    }
    return count > 0;
}

/* True if the file begins with the number of doubles that follow. */
static bool is_counted(const struct source *source, const unsigned char *bytes, size_t count)
{
    uint64_t number = 0;
    for (size_t b = 0; b < 8 && count >= 8; b++)
        number |= (uint64_t)bytes[b] << 8 * b;
    return count >= 8 && source->bytes % 8 == 0 && number == source->bytes / 8 - 1;
}

static const struct magic *magic_of(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        const size_t length = strlen(magics[i].bytes);
        if (count >= length && !memcmp(bytes, magics[i].bytes, length))
            return &magics[i];
    }
    return NULL;
}

/* By bytes that are no numbers and no text of a format without a magic word. */
static const struct data_format *told_by_bytes(const struct source *source,
                                               const unsigned char *bytes, size_t count,
                                               struct trouble *trouble)
{
    const struct magic *magic = magic_of(bytes, count);
    if (magic && magic->format)
        return magic->format;
    if (magic)
        trouble_note(trouble, "%s: %s; %s", source->path, magic->what, magic->instead);
    else if (is_counted(source, bytes, count))
        return &format_binpsllh;
    else if (is_text(bytes, count))
        return &format_csv;
    else if (!count)
        trouble_note(trouble, "%s: it is empty", source->path);
    else
        trouble_note(trouble,
                     "%s: neither its name nor its bytes tell the format; give --format, such as "
                     "--format f64 for raw doubles",
                     source->path);
    return NULL;
}

const struct data_format *format_told(struct source *source, struct trouble *trouble)
{
    unsigned char bytes[4096];
    const size_t count = source->bytes < sizeof bytes ? (size_t)source->bytes : sizeof bytes;
    const struct data_format *named =
        format_chosen(source->choice.format, source->name ? source->name : source->path);
    if (source->choice.format || !source_pread(source, bytes, count, 0, trouble))
        return source->choice.format ? named : NULL;
    const struct magic *magic = magic_of(bytes, count);
    /* A name without a magic word of its own stands for itself, unless it contradicts the bytes. */
    if (!named || (magic && (magic->format == &format_npy || named->text || named == &format_npy ||
                             named == &format_npz)))
        return told_by_bytes(source, bytes, count, trouble);
    if (named == &format_csv && has_controls(bytes, count)) {
        trouble_note(trouble,
                     "%s: its name is that of a table, but it holds other bytes; give --format, "
                     "such as --format f64 for raw doubles",
                     source->path);
        return NULL;
    }
    /* Text in any layout is summed as a whole only on demand: it may have columns. */
    if (named->text || !count || !is_text(bytes, count))
        return named == &format_text ? &format_csv : named;
    trouble_note(trouble, "%s: its name ends in %s, but it holds text; give --format", source->path,
                 named->ending);
    return NULL;
}
