/* SPDX-License-Identifier: BSD-3-Clause */
/* Text is cut into the same fields wherever the reader's buffer ends, and lines are found from any
 * byte. The oracle: fields and lines written down here. */
#include <unistd.h>

#include "cli/sum/text.h"
#include "unit/unit.h"

/* Fields end with '|', lines with '/'. Lines: d data, c comments, b blank. */
static const struct row {
    enum text_kind kind;
    char separator;
    const char *text, *fields, *lines;
} rows[] = {{TEXT_TABLE, ',', "1.5,2\r\n3, 4 \r5,6\n", "1.5|2|/3|4|/5|6|/", "ddd"},
            {TEXT_TABLE, ',', "#N/A,2\n#x,3\n4,#5\n6 # 7,8\n",
             "#N/A|2|/"
             "/4|#5|/6|/",
             "dcdd"},
            {TEXT_TABLE, ';', "\"a;\"\"b\"\"\" ;\t\"c\"\r\n;\n", "a;\"b\"|c|/||/", "dd"},
            {TEXT_TABLE, ' ', "#DIV/0! 1\n#DIV/0 1\n%N/A\n 2 #NAME?\n3 # NAME?\n",
             "#DIV/0!|1|///2|#NAME?|/3|/", "dccdd"},
            {TEXT_TABLE, ' ', "\"a b\" \"c\"\n\n \t\n1 2", "a b|c|///1|2|", "dbbd"},
            {TEXT_LIST, ' ', "1,2;3 4\t5 # 6\n#N/A\r\r\n7", "1|2|3|4|5|/#N/A|//7|", "ddbd"},
            {TEXT_TABLE, ' ',
             "5 %\n6 % 7\n8 % of 9\n% 1\n3 %                              of 4\n2\t% ",
             "5|%|/6|%|7|/8|//3|/2|%|", "dddcdd"},
            {TEXT_TABLE, ',', "5 %,6\n7,8 %\n9 %x,1\n%,2\n", "5 %|6|/7|8 %|/9|//", "dddc"},
            {TEXT_COUNTED, ' ', "2\n#N/A %7\n", "2|/#N/A|%7|/", "dd"},
            {TEXT_TABLE, ',', "1.7976931348623157e308,0x1.fffffffffffffp-1022\n-0.0,1.5D3\n",
             "1.7976931348623157e308|0x1.fffffffffffffp-1022|/-0.0|1.5D3|/", "dd"}};
enum { ROWS = sizeof rows / sizeof *rows };

/* A file in memory, and a scanner of it. */
struct opened {
    struct source source;
    struct text text;
    struct trouble trouble;
    struct scanner scanner;
};

static struct opened *open_text(const struct row *row, const char *bytes, size_t count)
{
    struct opened *o = calloc(1, sizeof *o);
    FILE *file = tmpfile();
    assert_true(o && file && fwrite(bytes, 1, count, file) == count && !fflush(file));
    o->text = (struct text){.kind = row->kind, .separator = row->separator, .columns = 1};
    o->source = (struct source){.path = "x", .fd = dup(fileno(file)), .bytes = count};
    o->source.text = &o->text;
    fclose(file);
    return o;
}

static void close_text(struct opened *o)
{
    close(o->source.fd);
    free(o);
}

/* The text behind so many bytes that are no field: blanks or a comment, and the end of a line. */
static char *behind(size_t pad, bool comment, const char *text)
{
    char *bytes = malloc(pad + strlen(text) + 1);
    assert_non_null(bytes);
    memset(bytes, comment ? 'x' : ' ', pad);
    bytes[0] = comment ? '#' : ' ';
    bytes[pad - 1] = '\n';
    strcpy(bytes + pad, text);
    return bytes;
}

static void check_fields(const struct row *row, size_t pad, bool comment)
{
    char word[TEXT_WORD], got[400] = "";
    char *bytes = behind(pad, comment, row->text);
    struct opened *o = open_text(row, bytes, pad + strlen(row->text));
    text_scan(&o->scanner, &o->source, 0, 0, &o->trouble);
    assert_int_equal(text_next(&o->scanner, word), TEXT_LINE);
    for (enum text_token token; (token = text_next(&o->scanner, word)) != TEXT_END;)
        strcat(strcat(got, token == TEXT_FIELD ? word : ""), token == TEXT_FIELD ? "|" : "/");
    assert_string_equal(got, row->fields);
    assert_string_equal(o->trouble.text, "");
    assert_int_equal(text_place(&o->scanner), o->source.bytes);
    close_text(o);
    free(bytes);
}

static void check_lines(const struct row *row, size_t pad)
{
    char got[20] = "";
    char *bytes = behind(pad, false, row->text);
    struct opened *o = open_text(row, bytes, pad + strlen(row->text));
    text_scan(&o->scanner, &o->source, pad, 1, &o->trouble);
    assert_int_equal(text_place(&o->scanner), pad);
    for (size_t n = 0; text_place(&o->scanner) < o->source.bytes; n++)
        got[n] = "bcd"[text_skip(&o->scanner)];
    assert_string_equal(got, row->lines);
    close_text(o);
    free(bytes);
}

TEST(test_seams)
{
    for (int r = 0; r < ROWS; r++) {
        const size_t length = strlen(rows[r].text);
        for (size_t k = 0; k <= length + 2; k++) {
            const bool comments = rows[r].kind != TEXT_COUNTED;
            check_fields(&rows[r], TEXT_BUFFER + 1 - k, false);
            check_fields(&rows[r], 2 * TEXT_BUFFER + 1 - k, comments);
            if (rows[r].kind != TEXT_COUNTED)
                check_lines(&rows[r], TEXT_BUFFER + 1 - k);
        }
    }
}

/* From any byte the next line that begins there or later is found. */
TEST(test_starts)
{
    static const char text[] = "1\n\n23 4\r\n5\r6";
    static const size_t lines[] = {0, 2, 3, 9, 11, sizeof text - 1};
    static const struct row row = {.kind = TEXT_TABLE, .separator = ' '};
    for (size_t start = 0, next = 0; start < sizeof text; start++) {
        struct opened *o = open_text(&row, text, sizeof text - 1);
        next += lines[next] < start;
        text_scan(&o->scanner, &o->source, start, 0, &o->trouble);
        assert_int_equal(text_place(&o->scanner), lines[next]);
        close_text(o);
    }
}

TEST(test_quotes)
{
    static const char *const wrong[] = {"\"1", "\"1\n2\"\n", "\"1\"2\n", "\"1\" 2,3\n", "\"1\"#\n"};
    static const struct row row = {.kind = TEXT_TABLE, .separator = ','};
    char word[TEXT_WORD];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct opened *o = open_text(&row, wrong[i], strlen(wrong[i]));
        text_scan(&o->scanner, &o->source, 0, 0, &o->trouble);
        text_next(&o->scanner, word);
        assert_non_null(strstr(o->trouble.text, "line 1: "));
        close_text(o);
    }
}

TEST(test_numbers)
{
    static const struct {
        const char *word;
        enum text_number kind;
        double value;
    } numbers[] = {{"1.5", TEXT_NUMBER, 1.5},          {"1.5D3", TEXT_NUMBER, 1500},
                   {"-1.5d-1", TEXT_NUMBER, -.15},     {"1.5+103", TEXT_NUMBER, 1.5e103},
                   {"1.5-103", TEXT_NUMBER, 1.5e-103}, {"1.5+10", TEXT_NO_NUMBER, 0},
                   {"1.5+1", TEXT_NO_NUMBER, 0},       {"1.5+1034", TEXT_NO_NUMBER, 0},
                   {"15+103", TEXT_NO_NUMBER, 0},      {"1.5D", TEXT_NO_NUMBER, 0},
                   {"D3", TEXT_NO_NUMBER, 0},          {"1e999", TEXT_TOO_LARGE, 0},
                   {"1.5+999", TEXT_TOO_LARGE, 0},     {"1e-999", TEXT_NUMBER, 0},
                   {"1,5", TEXT_NO_NUMBER, 0},         {"", TEXT_NO_NUMBER, 0}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double value;
        assert_int_equal(text_number(numbers[i].word, &value), numbers[i].kind);
        if (numbers[i].kind == TEXT_NUMBER)
            assert_true(value == numbers[i].value);
    }
}
