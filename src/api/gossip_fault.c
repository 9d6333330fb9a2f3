#include "api/gossip_fault.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "comm/error.h"

/* A word after "key=" as a choice or a number, and where it ends. */
struct reader {
    const char *at;
    bool good;
    const char *fault; /* where the one that is read begins */
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

/* A key; a second time in one fault it is wrong, for only one could act. */
static bool take(struct reader *r, const char *key)
{
    size_t length = strlen(key);
    if (strncmp(r->at, key, length) || r->at[length] != '=')
        return false;
    for (const char *s = r->fault; s < r->at; s++)
        r->good &= strncmp(s, r->at, length + 1) != 0;
    r->at += length + 1;
    return true;
}

/* rank=1,variable=flow,component=value,bit=56,round=7; what is left out: rank 0, flow, value, bit
 * 0, round 1, word 0 */
static void read_fault(struct reader *r, summand_gossip_fault *fault)
{
    static const char *const variables[] = {"input", "flow", "message", "kept", "received", NULL};
    static const char *const components[] = {"value", "weight", "checksum", NULL};
    *fault = (summand_gossip_fault){.variable = SUMMAND_GOSSIP_FLOW, .round = 1};
    r->fault = r->at;
    do {
        if (take(r, "rank"))
            fault->rank = read_number(r, 1 << 30);
        else if (take(r, "bit"))
            fault->bit = read_number(r, 63);
        else if (take(r, "word"))
            fault->word = read_number(r, 1 << 30);
        else if (take(r, "round"))
            fault->round = read_number(r, 1 << 30);
        else if (take(r, "variable"))
            fault->variable = (enum summand_gossip_variable)read_choice(r, variables);
        else if (take(r, "component"))
            fault->component = (enum summand_gossip_component)read_choice(r, components);
        else
            r->good = false;
    } while (r->good && *r->at == ',' && *++r->at);
}

int summand__fault_list_make(struct summand__fault_list *list, summand_gossip_options *options)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    if (!summand__environment_read("SUMMAND_FAULT", &setting, &complaint) || !setting.text)
        return MPI_SUCCESS;
    const char *text = setting.text;
    size_t most = (size_t)options->faults + 1;
    for (const char *s = text; *s; s++)
        most += *s == ';';
    list->fault = malloc(most * sizeof *list->fault);
    if (!list->fault)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    struct reader r = {text, true, text};
    int count = options->faults;
    if (count)
        memcpy(list->fault, options->fault, (size_t)count * sizeof *list->fault);
    do {
        read_fault(&r, &list->fault[count++]);
    } while (r.good && *r.at == ';' && *++r.at);
    options->fault = list->fault;
    options->faults = count;
    if (r.good && !*r.at)
        return MPI_SUCCESS;
    summand__error_explain(
        SUMMAND_ERR_ENVIRONMENT,
        "SUMMAND_FAULT: not rank=R,variable=V,component=C,bit=B,round=T,word=W;...");
    return summand_error_code(SUMMAND_ERR_ENVIRONMENT);
}

void summand__fault_list_free(struct summand__fault_list *list)
{
    free(list->fault);
    list->fault = NULL;
}
