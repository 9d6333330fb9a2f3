/* SPDX-License-Identifier: BSD-3-Clause */
/* Finished cells of an experiment, in the file NAME.part while it runs. */
#include "cli/study/experiment.h"

#include "base/input.h"
#include "cli/gossip/gossip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void study_path(const struct study *study, const char *ending, char *path, size_t room)
{
    snprintf(path, room, "%s/%s%s", study->directory, study->name, ending);
}

double *study_part_cell(const struct study_part *part, int cell)
{
    return part->values + (size_t)cell * (size_t)part->grid->width;
}

/* The first line, which identifies the experiment. */
static void head_of(const struct study_part *part, char *head, size_t room)
{
    snprintf(head, room, "%s %s seed %llu cells %d width %d%s\n", part->study->name,
             part->study->quick ? "quick" : "full", (unsigned long long)part->study->seed,
             part->grid->cells, part->grid->width, part->study->note);
}

/* The checksum of POSIX cksum over a line's text: detects every flip of one or two bits in a kept
 * cell. */
static uint32_t check_of(const char *text, size_t length)
{
    uint32_t sum = 0;
    for (size_t k = 0, rest = length; k < length || rest; k++) {
        unsigned char byte = k < length ? (unsigned char)text[k] : (unsigned char)rest;
        rest = k < length ? rest : rest >> 8;
        sum ^= (uint32_t)byte << 24;
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 0x80000000u ? sum << 1 ^ 0x04c11db7u : sum << 1;
    }
    return ~sum;
}

/* Reads "CELL VALUES... CHECK ;"; the cell of a malformed or incomplete line is computed again. */
static void load_line(struct study_part *part, char *line)
{
    char *check = strstr(line, " ;\n"), *at = line;
    if (!check)
        return;
    *check = 0;
    check = strrchr(line, ' ');
    if (!check || strtoul(check, NULL, 10) != check_of(line, (size_t)(check - line)))
        return;
    *check = 0;
    long cell = strtol(line, &at, 10);
    if (at == line || cell < 0 || cell >= part->grid->cells)
        return;
    double *values = study_part_cell(part, (int)cell);
    for (int k = 0; k < part->grid->width; k++)
        values[k] = strtod(at, &at);
    part->done += !part->known[cell];
    part->known[cell] = true;
}

/* Loads the cells of an interrupted run. */
static void load(struct study_part *part, const char *path)
{
    char head[384], *line = NULL;
    size_t room = 0;
    uint64_t bytes;
    const char *why;
    FILE *in = summand__input_file(path, &bytes, &why);
    if (!in)
        return;
    head_of(part, head, sizeof head);
    bool mine = getline(&line, &room, in) > 0 && !strcmp(line, head);
    while (mine && getline(&line, &room, in) > 0)
        load_line(part, line);
    free(line);
    fclose(in);
}

/* As text, because the checksum covers text. */
static void put(const struct study_part *part, int cell)
{
    size_t room = 16 + 26 * (size_t)part->grid->width, length;
    char *line = malloc(room);
    if (!line)
        return; /* if needed, the cell is computed again */
    length = (size_t)snprintf(line, room, "%d", cell);
    for (int k = 0; k < part->grid->width; k++)
        length +=
            (size_t)snprintf(line + length, room - length, " %a", study_part_cell(part, cell)[k]);
    fprintf(part->file.file, "%s %lu ;\n", line, (unsigned long)check_of(line, length));
    free(line);
}

/* Rewrites the file: an interrupted run may have left an incomplete line. The file has its final
 * name, and cells are appended. */
static bool begin_file(struct study_part *part, const char *path)
{
    char head[384];
    if (!output_open(&part->file, part->study->name, path))
        return false;
    head_of(part, head, sizeof head);
    fputs(head, part->file.file);
    for (int cell = 0; cell < part->grid->cells; cell++)
        if (part->known[cell])
            put(part, cell);
    part->kept = summand__output_place(&part->file.beside);
    if (part->kept)
        return true;
    complain(part->study->name, "%s: %s", path, strerror(errno));
    return output_close(&part->file, false);
}

bool study_part_open(struct study_part *part, const struct study *study,
                     const struct study_grid *grid)
{
    char path[4096];
    *part = (struct study_part){.study = study, .grid = grid};
    part->values = calloc((size_t)grid->cells * (size_t)grid->width, sizeof *part->values);
    part->known = calloc((size_t)grid->cells, sizeof *part->known);
    bool good = part->values && part->known;
    if (!good)
        complain(part->study->name, "out of memory");
    if (good && study->directory) {
        study_path(study, ".part", path, sizeof path);
        load(part, path);
        good = begin_file(part, path);
    }
    if (!good)
        free(study_part_close(part));
    return good;
}

void study_part_keep(struct study_part *part, int cell)
{
    part->known[cell] = true;
    part->done++;
    if (!part->kept)
        return;
    put(part, cell);
    if (!fflush(part->file.file))
        return;
    complain(part->study->name, "%s: %s; finished cells are not saved from now on",
             part->file.beside.target, strerror(errno));
    output_close(&part->file, part->kept = false);
}

double *study_part_close(struct study_part *part)
{
    if (part->kept)
        output_close(&part->file, true);
    free(part->known);
    return part->values;
}

void study_part_remove(const struct study *study)
{
    char path[4096];
    study_path(study, ".part", path, sizeof path);
    if (study->directory)
        remove(path); /* if there is one */
}
