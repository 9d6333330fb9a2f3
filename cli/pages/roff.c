/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/pages/roff.h"

#include <errno.h>
#include <string.h>
#include <summand/version.h>
#include <sys/stat.h>

#include "cli/common/cli.h"

static bool make_folder(const char *path)
{
    return !mkdir(path, 0777) || errno == EEXIST ||
           !complain("manual", "%s: %s", path, strerror(errno));
}

bool roff_open(struct output *output, const char *directory, const char *name, int section)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/man%d", directory, section);
    if (!make_folder(directory) || !make_folder(path))
        return false;
    snprintf(path, sizeof path, "%s/man%d/%s.%d", directory, section, name, section);
    return output_open(output, "manual", path);
}

static void text_of(FILE *page, const char *words, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (words[i] == '-')
            fputs("\\-", page);
        else if (words[i] == '\\')
            fputs("\\e", page);
        else if ((words[i] == '.' || words[i] == '\'') && (i == 0 || words[i - 1] == '\n'))
            fprintf(page, "\\&%c", words[i]);
        else
            fputc(words[i], page);
}

void roff_text(FILE *page, const char *words)
{
    text_of(page, words, strlen(words));
}

void roff_heading(FILE *page, const char *name, int section, const char *summary)
{
    fprintf(page, ".TH %s %d \"\" \"Summand %s\"\n.SH NAME\n", name, section, summand_version());
    roff_text(page, name);
    fputs(" \\- ", page);
    roff_text(page, summary);
    fputc('\n', page);
}

void roff_section(FILE *page, const char *name, const char *words)
{
    fprintf(page, ".SH %s\n", name);
    roff_text(page, words);
    fputc('\n', page);
}

void roff_tagged(FILE *page, const char *tag, const char *words)
{
    fputs(".TP\n.B ", page);
    roff_text(page, tag);
    fputc('\n', page);
    roff_text(page, words);
    fputc('\n', page);
}

void roff_lines(FILE *page, const char *lines)
{
    fputs(".nf\n", page);
    roff_text(page, lines);
    fputs(".fi\n", page);
}

/* The next line of a text: its length, and where the one behind it begins. */
static const char *next_line(const char *at, size_t *length)
{
    *length = strcspn(at, "\n");
    return at[*length] ? at + *length + 1 : NULL;
}

/* A word after "@param ", or "@return": the tag of a paragraph, and the rest of the line. */
static const char *tag_of(FILE *page, const char *line)
{
    const char *word = line[1] == 'p' ? line + strlen("@param ") : "returns";
    size_t length = strcspn(word, " \n");
    fputs(".TP\n.I ", page);
    text_of(page, word, length);
    fputc('\n', page);
    line += line[1] == 'p' ? strlen("@param ") + length : strlen("@return");
    return line + strspn(line, " ");
}

void roff_comment(FILE *page, const char *words)
{
    bool empty = false, code = false; /* the line before was empty, or code */
    size_t length;
    for (const char *line = words, *next; line; line = next) {
        next = next_line(line, &length);
        const char *end = line + length, *at = line + strspn(line, " ");
        if (at >= end) {
            empty = true;
            continue;
        }
        bool is_code = at - line >= 4 && (empty || code);
        if (code && !is_code)
            fputs(".fi\n.RE\n", page);
        if (is_code && !code)
            fputs(".RS 4\n.nf\n", page);
        else if (is_code && empty)
            fputc('\n', page);
        if (is_code)
            at = line + 4;
        else if (!strncmp(at, "@param ", 7) || !strncmp(at, "@return", 7))
            at = tag_of(page, at);
        else if (!strncmp(at, "- ", 2) && fputs(".IP \\- 2\n", page) >= 0)
            at += 2;
        else if (empty)
            fputs(".PP\n", page);
        text_of(page, at, (size_t)(end - at));
        fputc('\n', page);
        empty = false;
        code = is_code;
    }
    if (code)
        fputs(".fi\n.RE\n", page);
}
