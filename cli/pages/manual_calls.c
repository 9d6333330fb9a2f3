/* SPDX-License-Identifier: BSD-3-Clause */
/* Manual pages of section 3, from the comments of the public headers: a page for each header that
 * declares functions, and for each of its other functions a file that names that page. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <summand/version.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/common/lines.h"
#include "cli/pages/roff.h"

/* A text that grows. */
struct words {
    FILE *file;
    char *text;
    size_t size;
};

static void words_begin(struct words *words)
{
    words->file = need(open_memstream(&words->text, &words->size));
}

static const char *words_now(struct words *words)
{
    fflush(words->file);
    return words->text;
}

static void words_free(struct words *words)
{
    fclose(words->file);
    free(words->text);
}

static void words_clear(struct words *words)
{
    words_free(words);
    words_begin(words);
}

enum { FUNCTIONS_MOST = 100 };

struct header {
    struct lines lines;
    struct words head;     /* the comment at the top */
    struct words synopsis; /* prototypes */
    struct words body;     /* all declarations with their comments */
    struct words comment;  /* of the declarations in `group`, which are not in `body` yet */
    struct words group;
    bool described; /* a declaration is in `body` */
    char *names[FUNCTIONS_MOST];
    int count;
};

/* The rest of a comment whose first line begins at `line`, without stars. */
static void read_comment(struct header *header, char *line, FILE *to)
{
    bool first = true;
    for (; line; line = lines_next(&header->lines), first = false) {
        char *end = strstr(line, "*/");
        if (end)
            *end = 0;
        if (first) {
            line += strspn(line, "/* ");
        } else {
            line += strspn(line, " ");
            line += *line == '*';
            line += *line == ' ';
        }
        if (to)
            fprintf(to, "%s\n", line);
        if (end)
            return;
    }
}

/* Writes the declarations that share a comment, and the comment. */
static void close_group(struct header *header)
{
    const char *lines = words_now(&header->group);
    if (*lines) {
        if (header->described)
            fputs(".PP\n", header->body.file);
        header->described = true;
        roff_lines(header->body.file, lines);
        fputs(".RS 4\n", header->body.file);
        roff_comment(header->body.file, words_now(&header->comment));
        fputs(".RE\n", header->body.file);
    }
    words_clear(&header->group);
    words_clear(&header->comment);
}

static void take_name(struct header *header, const char *declaration)
{
    const char *name = strstr(declaration, "summand_"), *parenthesis = strchr(declaration, '(');
    while (name && parenthesis && name + strcspn(name, "( ") != parenthesis)
        name = strstr(name + 1, "summand_");
    if (name && parenthesis && header->count < FUNCTIONS_MOST)
        header->names[header->count++] = need(strndup(name, (size_t)(parenthesis - name)));
}

/* By how much a line opens braces; comments count nothing. */
static int braces(const char *line)
{
    int depth = 0;
    for (; *line && strncmp(line, "/*", 2); line++)
        depth += (*line == '{') - (*line == '}');
    return depth;
}

/* A declaration from its first line to the semicolon outside of braces, or a macro. */
static void read_declaration(struct header *header, char *line)
{
    static const char mark[] = "SUMMAND_API ";
    bool function = !strncmp(line, mark, strlen(mark)), macro = *line == '#';
    size_t shift = function ? strlen(mark) : 0;
    struct words declaration;
    words_begin(&declaration);
    int depth = 0;
    for (bool first = true, last = false; line && !last; first = false) {
        size_t length = strlen(line);
        fprintf(declaration.file, "%s\n", line + (first || strspn(line, " ") >= shift ? shift : 0));
        depth += braces(line);
        last = macro ? !length || line[length - 1] != '\\' : !depth && strchr(line, ';');
        line = last ? line : lines_next(&header->lines);
    }
    fputs(words_now(&declaration), header->group.file);
    if (function) {
        fputs(words_now(&declaration), header->synopsis.file);
        take_name(header, words_now(&declaration));
    }
    words_free(&declaration);
}

/* Lines that declare nothing. */
static bool is_frame(const char *line)
{
    return !*line || !strncmp(line, "extern \"C\"", 10) || !strcmp(line, "}") ||
           (*line == '#' && strncmp(line, "#define ", 8));
}

static void read_header(struct header *header)
{
    bool documented = false, at_top = true;
    char *line;
    while ((line = lines_next(&header->lines))) {
        if (!strncmp(line, "/**", 3)) {
            close_group(header);
            read_comment(header, line, header->comment.file);
            documented = true;
        } else if (!strncmp(line, "/*", 2)) {
            bool licence = strstr(line, "SPDX");
            read_comment(header, line, at_top && !licence ? header->head.file : NULL);
        } else if (is_frame(line) || (*line == '#' && !documented)) {
            at_top = at_top && *line != '#';
            documented = documented && *line;
            while (line && *line && line[strlen(line) - 1] == '\\')
                line = lines_next(&header->lines);
        } else {
            read_declaration(header, line);
        }
    }
    close_group(header);
}

/* The first sentence of a text, without its end. */
static void first_sentence(const char *text, char *sentence, size_t room)
{
    size_t used = 0;
    for (; *text && used + 1 < room; text++) {
        if (strchr(".:?", *text) && (!text[1] || strchr(" \n", text[1])))
            break;
        sentence[used++] = *text == '\n' ? ' ' : *text;
    }
    sentence[used] = 0;
}

/* Functions of the header but the page's own are links to the page. */
static bool write_links(const char *directory, const struct header *header, const char *page)
{
    bool good = true;
    for (int i = 0; good && i < header->count; i++) {
        struct output output;
        if (!strcmp(header->names[i], page))
            continue;
        if (!roff_open(&output, directory, header->names[i], 3))
            return false;
        fprintf(output.file, ".so man3/%s.3\n", page);
        good = output_close(&output, true);
    }
    return good;
}

static bool write_page(const char *directory, struct header *header, const char *name)
{
    char page[96], summary[200];
    struct output output;
    snprintf(page, sizeof page, "summand_%s", name);
    if (!roff_open(&output, directory, page, 3))
        return false;
    const char *head = words_now(&header->head);
    first_sentence(head, summary, sizeof summary);
    fprintf(output.file, ".TH %s 3 \"\" \"Summand %s\"\n.SH NAME\n%s", page, summand_version(),
            page);
    for (int i = 0; i < header->count; i++)
        if (strcmp(header->names[i], page))
            fprintf(output.file, ", %s", header->names[i]);
    fputs(" \\- ", output.file);
    roff_text(output.file, summary);
    fprintf(output.file, "\n.SH SYNOPSIS\n.nf\n#include <summand/%s.h>\n.sp\n", name);
    roff_text(output.file, words_now(&header->synopsis));
    fputs(".fi\n.SH DESCRIPTION\n", output.file);
    roff_comment(output.file, head);
    fputs(".SH DECLARATIONS\n", output.file);
    fputs(words_now(&header->body), output.file);
    roff_section(output.file, "SEE ALSO", "summand(1), summand-env(7)");
    return output_close(&output, true) && write_links(directory, header, page);
}

/* A header's page, if it declares functions. */
static bool page_of_header(const char *directory, const char *path, const char *name)
{
    struct header header = {0};
    struct words *const texts[] = {&header.head, &header.synopsis, &header.body, &header.comment,
                                   &header.group};
    if (!lines_open(&header.lines, path))
        return !complain("manual", "%s: %s", path, strerror(errno));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        words_begin(texts[i]);
    read_header(&header);
    bool good = !header.lines.wrong || !complain("manual", "%s: %s", path, header.lines.wrong);
    lines_close(&header.lines);
    good = good && (!header.count || write_page(directory, &header, name));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        words_free(texts[i]);
    for (int i = 0; i < header.count; i++)
        free(header.names[i]);
    return good;
}

static int is_header(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 2 && !strcmp(entry->d_name + length - 2, ".h");
}

bool manual_calls(const char *directory, const char *headers)
{
    struct dirent **list;
    int count = scandir(headers, &list, is_header, alphasort);
    if (count < 0)
        return !complain("manual", "%s: %s", headers, strerror(errno));
    bool good = count > 0 || !complain("manual", "%s: has no header", headers);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX], name[80];
        snprintf(path, sizeof path, "%s/%s", headers, list[i]->d_name);
        snprintf(name, sizeof name, "%.*s", (int)strlen(list[i]->d_name) - 2, list[i]->d_name);
        good = good && page_of_header(directory, path, name);
        free(list[i]);
    }
    free(list);
    return good;
}
