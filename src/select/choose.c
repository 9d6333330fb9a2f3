/* Fixed rules, in three sentences. Short vectors: ceil(log2 p) rounds of whole vectors (binomial
 * tree, recursive doubling). Long vectors: pieces, each byte sent about twice (Rabenseifner; the
 * circulant graph where order is free and the rank count is no power of two, as it needs no extra
 * rounds there). Blocks: always pieces. The bound between short and long is not tuned: it is where
 * 2 log2(p) more messages of some microseconds cost about what the bytes saved do. */
#include "select/choose.h"

#include "reduce/call.h"

enum { SHORT_BYTES = 16384 };

static bool power_of_two(int ranks)
{
    return !(ranks & (ranks - 1));
}

bool summand__promises_kept(const struct summand__algorithm *algorithm,
                            enum summand__collective collective, unsigned promises)
{
    return !summand__has_operator(collective) || (algorithm->promises & promises) == promises;
}

static const char *name_for(const struct summand__question *question)
{
    bool rooted = summand__has_root(question->collective);
    bool ordered = question->promises && summand__has_operator(question->collective);
    if (!summand__has_blocks(question->collective) && question->bytes <= SHORT_BYTES)
        return rooted ? "binomial" : "recursive-doubling";
    return rooted || ordered || power_of_two(question->ranks) ? "rabenseifner" : "circulant";
}

void summand__choose(const struct summand__question *question, struct summand__choice *choice)
{
    *choice = (struct summand__choice){.algorithm = summand__algorithm_named(name_for(question))};
    choice->parameter[SUMMAND__NODE_SIZE] = question->node_size;
}
