/* np: 1; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Seals of checked messages: one that is written is read; one of another message, one that is
 * longer than its receiver's room, and one with any flipped bit is refused; and the word of each
 * chunk is the CRC32C of its bytes, by its definition, in whatever parts they come. */
#include "mpi/harness.h"
#include "transport/sealed.h"

enum { LENGTH = 2 * SUMMAND__SEALED_CHUNK + 77, CHUNKS = 3 };

static unsigned char message[LENGTH];
static uint32_t word[CHUNKS];
static struct summand__seal_words words = {.of = word};
static _Alignas(16) unsigned char seal[256];

static uint32_t by_definition(const unsigned char *bytes, size_t count)
{
    uint32_t rest = 0xffffffff;
    for (size_t i = 0; i < 8 * count; i++)
        rest = rest >> 1 ^ (((rest ^ bytes[i / 8] >> i % 8) & 1) ? 0x82f63b78 : 0);
    return ~rest;
}

static const struct summand__seal_head head = {
    .tag = 5, .step = 7, .source = 2, .target = 3, .length = LENGTH};

static void make(uint64_t *seed)
{
    for (size_t i = 0; i < LENGTH; i++)
        message[i] = (unsigned char)harness_random(seed);
    memset(word, 0xa5, sizeof word); /* of an earlier message */
    words.bytes = 0;
    while (words.bytes < LENGTH) {
        size_t part = 1 + harness_random(seed) % 9999, left = LENGTH - words.bytes;
        part = part < summand__seal_rest(&words) ? part : summand__seal_rest(&words);
        summand__seal_add(&words, message + words.bytes, part < left ? part : left);
    }
    summand__seal_write(seal, &head, &words);
}

/* NULL: the seal is read. */
static const char *refusal(const struct summand__seal_head *expected, size_t *length)
{
    static char why[120];
    return summand__seal_read(seal, expected, length, why, sizeof why) ? NULL : why;
}

static void test_heads(void)
{
    struct summand__seal_head more = head, less = head, tag = head, step = head, from = head,
                              to = head;
    size_t length = 0;
    CHECK(!refusal(&head, &length) && length == LENGTH, "%zu", length);
    more.length++;
    CHECK(!refusal(&more, &length) && length == LENGTH, "room: %zu", length);
    less.length--, tag.tag++, step.step++, from.source++, to.target++;
    const struct {
        const struct summand__seal_head *head;
        const char *why;
    } rows[] = {{&less, "counts differ"},
                {&tag, "message 7 of operation 5"},
                {&step, "message 7 of operation 5"},
                {&from, "from 2 to 3"},
                {&to, "from 2 to 3"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        length = 1;
        const char *why = refusal(rows[i].head, &length);
        CHECK(why && strstr(why, rows[i].why) && !length, "%zu: %s", i, why ? why : "read");
    }
}

static void test_flips(void)
{
    size_t length;
    const size_t used = sizeof head + sizeof word;
    for (size_t bit = 0; bit < 8 * used; bit++) {
        seal[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(refusal(&head, &length), "bit %zu", bit);
        seal[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

static void test_words(void)
{
    for (size_t c = 0; c < CHUNKS; c++) {
        size_t at = c * SUMMAND__SEALED_CHUNK, left = LENGTH - at;
        size_t count = left < SUMMAND__SEALED_CHUNK ? left : SUMMAND__SEALED_CHUNK;
        CHECK(word[c] == by_definition(message + at, count), "chunk %zu", c);
        CHECK(summand__seal_holds(seal, &words, c), "chunk %zu", c);
        word[c] ^= 1;
        CHECK(!summand__seal_holds(seal, &words, c), "chunk %zu", c);
        word[c] ^= 1;
    }
}

TESTS
{
    uint64_t seed = harness_seed();
    make(&seed);
    test_heads();
    test_flips();
    test_words();
}
