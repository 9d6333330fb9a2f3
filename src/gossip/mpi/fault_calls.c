/* SPDX-License-Identifier: BSD-3-Clause */
#include "gossip/mpi/fault_calls.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "process/error.h"

/* A word after "key=" as a choice or a number, and its end. */
struct reader {
    const char *at;
    bool good;
};

static int read_choice(struct reader *r, const char *const *choices)
{
    size_t length = strcspn(r->at, ",;");
    for (int k = 0; choices[k]; k++)
        if (strlen(choices[k]) == length && !strncmp(r->at, choices[k], length)) {
            r->at += length;
            return k;
        }
    r->good = false;
    return 0;
}

static int read_number(struct reader *r, int most)
{
    char *end;
    long value = strtol(r->at, &end, 10);
    r->good &= end != r->at && value >= 0 && value <= most;
    r->at = end;
    return (int)value;
}

static const char *const keys[] = {"rank", "bit", "word", "round", "variable", "component", NULL};
enum key { RANK, BIT, WORD, ROUND, VARIABLE, COMPONENT, NO_KEY };

/* "key=", each once. */
static enum key take_key(struct reader *r, unsigned *seen)
{
    enum key key = RANK;
    size_t length = strcspn(r->at, "=");
    while (key < NO_KEY && (strlen(keys[key]) != length || strncmp(r->at, keys[key], length) != 0))
        key++;
    r->good = key < NO_KEY && r->at[length] == '=' && !(*seen >> key & 1);
    *seen |= 1u << key;
    r->at += length + r->good;
    return key;
}

/* rank=1,variable=flow,component=value,bit=56,round=7; defaults: rank 0, flow, value, bit 0, round
 * 1, word 0 */
static void read_fault(struct reader *r, summand_gossip_fault *fault)
{
    static const char *const variables[] = {"input", "flow", "message", "kept", "received", NULL};
    static const char *const components[] = {"value", "weight", "checksum", NULL};
    unsigned seen = 0;
    *fault = (summand_gossip_fault){.variable = SUMMAND_GOSSIP_FLOW, .round = 1};
    do {
        enum key key = take_key(r, &seen);
        if (!r->good)
            return;
        if (key == RANK)
            fault->rank = read_number(r, 1 << 30);
        else if (key == BIT)
            fault->bit = read_number(r, 63);
        else if (key == WORD)
            fault->word = read_number(r, 1 << 30);
        else if (key == ROUND)
            fault->round = read_number(r, 1 << 30);
        else if (key == VARIABLE)
            fault->variable = (enum summand_gossip_variable)read_choice(r, variables);
        else
            fault->component = (enum summand_gossip_component)read_choice(r, components);
    } while (r->good && *r->at == ',' && r->at++);
}

int summand__fault_list_make(struct summand__fault_list *list, summand_gossip_options *options)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    if (!summand__environment_read("SUMMAND_FAULT", &setting, &complaint) || !setting.text)
        return MPI_SUCCESS;
    const char *text = setting.text;
    static const summand_gossip_faults none;
    const summand_gossip_faults *given = options->faults ? options->faults : &none;
    size_t most = (size_t)given->count + 1;
    for (const char *s = text; *s; s++)
        most += *s == ';';
    list->fault = malloc(most * sizeof *list->fault);
    if (!list->fault)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    struct reader r = {text, true};
    int count = given->count;
    if (count)
        memcpy(list->fault, given->fault, (size_t)count * sizeof *list->fault);
    do {
        read_fault(&r, &list->fault[count++]);
    } while (r.good && *r.at == ';' && r.at++);
    list->all = *given;
    list->all.fault = list->fault;
    list->all.count = count;
    options->faults = &list->all;
    if (r.good && !*r.at)
        return MPI_SUCCESS;
    return summand__refuse(SUMMAND_ERR_ENVIRONMENT,
                           "SUMMAND_FAULT is '%.80s', not rank=R,variable=V,component=C,bit=B,"
                           "round=T,word=W;...",
                           text);
}

void summand__fault_list_free(struct summand__fault_list *list)
{
    free(list->fault);
    list->fault = NULL;
}
