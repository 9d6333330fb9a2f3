/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/gossip/tape.h"

#include <string.h>

#include "base/input.h"
#include "kernel/seal.h"

static uint64_t seal_on(uint64_t seal, const unsigned char *data, size_t bytes)
{
    uint64_t tail = 0;
    seal = summand__seal(seal, data, bytes / 8);
    memcpy(&tail, data + bytes / 8 * 8, bytes % 8);
    return bytes % 8 ? summand__seal_step(seal, tail) : seal;
}

void summand__tape_pass(struct summand__tape *tape, void *data, size_t bytes)
{
    if (!tape->good || !bytes)
        return;
    if (tape->loading && bytes > tape->left) {
        tape->good = false;
        return;
    }
    tape->left -= tape->loading ? bytes : 0;
    tape->good = tape->loading ? fread(data, 1, bytes, tape->file) == bytes
                               : fwrite(data, 1, bytes, tape->file) == bytes;
    if (tape->good)
        tape->seal = seal_on(tape->seal, data, bytes);
}

void summand__tape_expect(struct summand__tape *tape, uint64_t value)
{
    uint64_t stored = value;
    summand__tape_pass(tape, &stored, sizeof stored);
    tape->good = tape->good && stored == value;
}

void summand__tape_expect_real(struct summand__tape *tape, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    summand__tape_expect(tape, bits);
}

static bool begin(struct summand__tape *tape, const char *kind, uint64_t version)
{
    uint64_t name = 0, order = 0x0102030405060708u; /* byte order of this machine */
    memcpy(&name, kind, strnlen(kind, sizeof name));
    tape->good = tape->file;
    summand__tape_expect(tape, name);
    summand__tape_expect(tape, version);
    summand__tape_expect(tape, order);
    return tape->good;
}

bool summand__tape_save(struct summand__tape *tape, const char *path, const char *kind,
                        uint64_t version)
{
    *tape = (struct summand__tape){0};
    if (summand__output_open(&tape->output, path))
        tape->file = tape->output.file;
    return begin(tape, kind, version);
}

bool summand__tape_load(struct summand__tape *tape, const char *path, const char *kind,
                        uint64_t version)
{
    uint64_t bytes;
    const char *why;
    *tape =
        (struct summand__tape){.file = summand__input_file(path, &bytes, &why), .loading = true};
    if (!tape->file)
        return false;
    tape->left = (size_t)bytes;
    return begin(tape, kind, version);
}

bool summand__tape_close(struct summand__tape *tape)
{
    if (!tape->file)
        return false;
    summand__tape_expect(tape, tape->seal);
    if (!tape->loading)
        return summand__output_close(&tape->output, tape->good);
    return !fclose(tape->file) && tape->good && !tape->left;
}
