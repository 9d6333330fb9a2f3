#include "select/recall.h"

#include <stdbool.h>
#include <string.h>

enum { RECALLED = 16 };

struct entry {
    struct summand__question question; /* its model is `model`, or NULL */
    struct summand__model model;
    struct summand__choice choice; /* without algorithm: none yet */
};

static bool same_model(const struct entry *entry, const struct summand__model *model)
{
    if (!entry->question.model || !model)
        return !entry->question.model && !model;
    return !memcmp(&entry->model, model, sizeof *model);
}

static bool answers(const struct entry *entry, const struct summand__question *question)
{
    const struct summand__question *asked = &entry->question;
    return entry->choice.algorithm && asked->collective == question->collective &&
           asked->ranks == question->ranks && asked->node_size == question->node_size &&
           asked->processors == question->processors && asked->bytes == question->bytes &&
           asked->element == question->element && asked->promises == question->promises &&
           same_model(entry, question->model);
}

bool summand__choose_or_recall(const struct summand__question *question,
                               struct summand__choice *choice)
{
    static _Thread_local struct entry entries[RECALLED];
    static _Thread_local unsigned next;
    for (int i = 0; i < RECALLED; i++)
        if (answers(&entries[i], question)) {
            *choice = entries[i].choice;
            return true;
        }
    if (!summand__choose(question, choice))
        return false;
    struct entry *entry = &entries[next++ % RECALLED];
    entry->question = *question;
    entry->choice = *choice;
    if (question->model)
        entry->model = *question->model;
    return true;
}
