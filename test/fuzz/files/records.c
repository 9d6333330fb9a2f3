/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of runs. An accepted record is equal to itself, and each of its calls is found and reads
 * back the same when it is written again. */
#include "cli/diff/diff.h"
#include "fuzz/files/reader.h"

#include <stdio.h>
#include <string.h>

#define FIRST                                                                                      \
    "summand record 1\nrank 0 of 1\nprogram app\nmpi M 1\nmode off\n"                              \
    "communicator 0 size 1 rank 0 group 00000000000000aa nth 0\n"
#define CALL "MPI_Allreduce 2 MPI_DOUBLE MPI_SUM - 2222222222222222 3333333333333333 ring f+0x1\n"

static bool make_record(int seed)
{
    static const char *const texts[] = {
        FIRST "call 0 1 " CALL "in 1 2\nout 2 4\ncall 0 2 " CALL "end 2\n",
        FIRST "call 0 1 " CALL "communicator 1 size 1 rank 0 group 00000000000000ab nth 1\n"
              "call 1 1 MPI_Bcast 1 derived(24) - 0 - 3333333333333333 - -\nend 2\n",
        FIRST};
    if (seed < 3)
        put_file("rank-00000.txt", texts[seed], strlen(texts[seed]));
    return seed < 3;
}

static bool reads_back(const struct record_call *call)
{
    char text[RECORD_LINE];
    struct record_call named = *call;
    size_t length = record_print_call(text, sizeof text, &named);
    if (length >= sizeof text || text[length - 1] != '\n')
        return false;
    text[length - 1] = 0;
    struct record_line line = record_parse(text);
    return line.kind == RECORD_CALL && line.call.number == call->number &&
           line.call.count == call->count && line.call.root == call->root &&
           line.call.input.there == call->input.there && line.call.result.hash == call->result.hash;
}

static const char *check(const struct rank_record *record)
{
    struct rank_difference difference;
    struct named_calls calls = {0};
    struct unmatched unmatched = {0};
    for (long long i = 0; i < record->count; i++) {
        struct kept_call *call = &record->call[i];
        if (rank_record_find(record, call->communicator, call->call.number) != call)
            return "a call is not found";
        if (!reads_back(&call->call))
            return "a call is written as another one";
    }
    compare_rank(record, record, &difference, &calls, &unmatched);
    const size_t noted = calls.count + (size_t)unmatched.rows;
    named_calls_free(&calls);
    unmatched_free(&unmatched);
    /* Communicators with one name are one, of which the first is found. */
    if (difference.kind == SAME && difference.compared != record->count)
        return "not all calls are compared";
    if (difference.kind == SAME && noted)
        return "calls are noted as different";
    return NULL;
}

static enum outcome take_record(const struct bytes *bytes, const char **why)
{
    struct texts texts = {0};
    struct rank_record record;
    struct run run;
    (void)bytes;
    *why = NULL;
    bool good = run_open(&run, ".", NULL, &texts) && run_load(&run, 0, &record);
    if (good) {
        *why = check(&record);
        rank_record_free(&record);
    }
    texts_free(&texts);
    return !good ? REFUSED : *why ? WRONG : TAKEN;
}

static const struct reader record = {"record",    "rank-00000.txt", false,
                                     make_record, take_record,      NULL};
const struct reader *const readers_of_records[] = {&record, NULL};
