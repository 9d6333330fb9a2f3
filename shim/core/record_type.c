/* SPDX-License-Identifier: BSD-3-Clause */
#include "shim/core/record_type.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quiet.h"
#include "op/datatype_layout.h"
#include "op/predefined.h"
#include "process/datatype.h"
#include "shim/core/record_hash.h"

/* A number in memory. x87's long doubles have six bytes without a meaning. */
struct kind {
    char letter;
    unsigned char bytes, room; /* that count, and its alignment */
};
static const struct kind kinds[] = {
    {'f', 4, 4},
    {'d', 8, 8},
    {'L', LDBL_MANT_DIG == 64 ? 10 : sizeof(long double), sizeof(long double)},
    {'b', 1, 1},
    {'s', 2, 2},
    {'i', 4, 4},
    {'l', 8, 8},
    {'B', 1, 1},
    {'S', 2, 2},
    {'I', 4, 4},
    {'U', 8, 8}};

static const struct kind *kind_of(char letter)
{
    const struct kind *kind = kinds;
    while (kind->letter != letter)
        kind++;
    return kind;
}

/* Filled at the first use: handles of Open MPI are addresses, of MPICH numbers. */
enum { TYPES = 96 };
static struct known {
    MPI_Datatype type;
    char name[SUMMAND__TYPE_NAME], parts[3];
    size_t size, extent;
    bool dense;
} known[TYPES];
static int types;

/* The numbers of what a kernel takes, by letters of `kinds`. */
static const char parts_of[SUMMAND__COMBINE_TYPES][3] = {[SUMMAND__COMBINE_I8] = "b",
                                                         [SUMMAND__COMBINE_I16] = "s",
                                                         [SUMMAND__COMBINE_I32] = "i",
                                                         [SUMMAND__COMBINE_I64] = "l",
                                                         [SUMMAND__COMBINE_U8] = "B",
                                                         [SUMMAND__COMBINE_U16] = "S",
                                                         [SUMMAND__COMBINE_U32] = "I",
                                                         [SUMMAND__COMBINE_U64] = "U",
                                                         [SUMMAND__COMBINE_F32] = "f",
                                                         [SUMMAND__COMBINE_F64] = "d",
                                                         [SUMMAND__COMBINE_LONG_DOUBLE] = "L",
                                                         [SUMMAND__COMBINE_COMPLEX32] = "ff",
                                                         [SUMMAND__COMBINE_COMPLEX64] = "dd",
                                                         [SUMMAND__COMBINE_COMPLEX_LONG] = "LL",
                                                         [SUMMAND__COMBINE_BOOL] = "B",
                                                         [SUMMAND__COMBINE_SHORT_INT] = "si",
                                                         [SUMMAND__COMBINE_INT_INT] = "ii",
                                                         [SUMMAND__COMBINE_LONG_INT] = "li",
                                                         [SUMMAND__COMBINE_F32_INT] = "fi",
                                                         [SUMMAND__COMBINE_F64_INT] = "di",
                                                         [SUMMAND__COMBINE_LONG_DOUBLE_INT] = "Li"};

/* The letter of a number of which the size is known. */
static char by_size(char class, int size)
{
    static const char signed_letters[] = {0, 'b', 's', 0, 'i', 0, 0, 0, 'l'};
    if (class == 'i')
        return size <= 8 ? signed_letters[size] : 0;
    return size == 4 ? 'f' : size == 8 ? 'd' : 0;
}

/* Types that no kernel takes: how many numbers of which class. */
static bool numbers_of(MPI_Datatype type, char *class, int *numbers)
{
    const struct {
        MPI_Datatype type;
        char class;
        int numbers;
    } rows[] = {{MPI_CHAR, 'i', 1},    {MPI_WCHAR, 'i', 1}, {MPI_CHARACTER, 'i', 1},
                {MPI_LOGICAL, 'i', 1}, {MPI_2REAL, 'f', 2}, {MPI_2DOUBLE_PRECISION, 'f', 2},
                {MPI_2INTEGER, 'i', 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type) {
            *class = rows[i].class;
            *numbers = rows[i].numbers;
            return true;
        }
    return false;
}

static void know(MPI_Datatype type)
{
    struct known row = {.type = type};
    const enum summand__combine_type kernel = summand__datatype_kernel(type);
    int size = 0, numbers = 0;
    char class = 0;
    MPI_Aint lb, extent;
    if (kernel != SUMMAND__COMBINE_TYPES)
        strcpy(row.parts, parts_of[kernel]);
    else if (!numbers_of(type, &class, &numbers))
        return;
    if (types == TYPES || PMPI_Type_size(type, &size) != MPI_SUCCESS ||
        PMPI_Type_get_extent(type, &lb, &extent) != MPI_SUCCESS || size <= 0)
        return;
    for (int i = 0; i < numbers; i++)
        row.parts[i] = by_size(class, size / numbers);
    summand__datatype_name(type, row.name, sizeof row.name);
    size_t data = 0;
    for (const char *part = row.parts; *part; part++)
        data += kind_of(*part)->bytes;
    row.size = (size_t)size;
    row.extent = (size_t)extent;
    row.dense = data == row.extent || (!*row.parts && size == extent);
    known[types++] = row;
}

static void know_all(void)
{
    MPI_Datatype type;
    for (size_t i = 0; summand__datatype_at(i, &type); i++)
        if (type != MPI_DATATYPE_NULL)
            know(type);
}

static int users;
static MPI_Comm self = MPI_COMM_NULL; /* errors on it are returned */

bool record_types_begin(void)
{
    if (users++)
        return self != MPI_COMM_NULL;
    know_all();
    return PMPI_Comm_dup(MPI_COMM_SELF, &self) == MPI_SUCCESS &&
           PMPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN) == MPI_SUCCESS;
}

void record_types_end(void)
{
    if (--users)
        return;
    if (self != MPI_COMM_NULL)
        PMPI_Comm_free(&self);
    types = 0;
}

static const struct known *known_of(MPI_Datatype type)
{
    for (int i = 0; i < types; i++)
        if (known[i].type == type)
            return &known[i];
    return NULL;
}

long long record_type_size(MPI_Datatype type)
{
    const struct known *row = known_of(type);
    MPI_Count size = 0;
    if (row)
        return (long long)row->size;
    if (type == MPI_DATATYPE_NULL || summand__type_size(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return (long long)size;
}

long long record_type_dense(MPI_Datatype type)
{
    const struct known *row = known_of(type);
    return row && row->dense ? (long long)row->extent : 0;
}

bool record_type_derived(MPI_Datatype type)
{
    return !known_of(type) && !summand__datatype_predefined(type);
}

void record_type_name(MPI_Datatype type, char *name, size_t room)
{
    const struct known *row = known_of(type);
    char text[SUMMAND__TYPE_NAME];
    MPI_Count size = 0;
    if (row) {
        snprintf(name, room, "%s", row->name);
        return;
    }
    if (type == MPI_DATATYPE_NULL) {
        snprintf(name, room, "MPI_DATATYPE_NULL");
        return;
    }
    summand__datatype_name(type, text, sizeof text);
    summand__type_size(type, &size);
    snprintf(name, room, "%s(%lld)", strncmp(text, "a derived", 9) ? text : "derived",
             (long long)size);
}

enum { CHUNK = 1 << 16 };

/* The places of a type's numbers in an element. */
struct places {
    int count;
    struct {
        size_t offset;
        const struct kind *kind;
    } at[2];
};

static struct places places_of(const struct known *row)
{
    struct places places = {0};
    size_t offset = 0;
    for (const char *part = row->parts; *part; part++) {
        const struct kind *kind = kind_of(*part);
        offset = (offset + kind->room - 1) / kind->room * kind->room;
        places.at[places.count].offset = offset;
        places.at[places.count++].kind = kind;
        offset += kind->room;
    }
    return places;
}

/* Gathers the bytes that count: hashing them one by one takes longer. */
static void add_gapped(struct record_hash *hash, const struct known *row, const char *from,
                       long long count)
{
    unsigned char chunk[1024];
    size_t used = 0;
    const struct places places = places_of(row);
    for (long long i = 0; i < count; i++, from += row->extent)
        for (int k = 0; k < places.count; k++) {
            size_t bytes = places.at[k].kind->bytes;
            if (used + bytes > sizeof chunk) {
                record_hash_add(hash, chunk, used);
                used = 0;
            }
            memcpy(chunk + used, from + places.at[k].offset, bytes);
            used += bytes;
        }
    record_hash_add(hash, chunk, used);
}

/* A derived type, packed in pieces. False: the MPI refuses it. */
static bool add_packed(struct record_hash *hash, const struct summand__datatype *type,
                       const char *from, long long count)
{
    long long most = type->size ? CHUNK / type->size : count;
    most = most < 1 ? 1 : most > CHUNK ? CHUNK : most;
    int room = 0;
    if (PMPI_Pack_size((int)most, type->handle, self, &room) != MPI_SUCCESS)
        return false;
    void *packed = malloc((size_t)room + 1);
    bool good = packed;
    for (long long done = 0; done < count && good; done += most) {
        int position = 0, n = (int)(count - done < most ? count - done : most);
        good = PMPI_Pack(from + done * type->extent, n, type->handle, packed, room, &position,
                         self) == MPI_SUCCESS;
        if (good)
            record_hash_add(hash, packed, (size_t)position);
    }
    free(packed);
    return good;
}

static bool add_block(struct record_hash *hash, MPI_Datatype handle, const char *from,
                      long long count)
{
    const struct known *row = known_of(handle);
    struct summand__datatype type;
    if (count == 0)
        return true;
    if (count < 0 || (row && !from))
        return false;
    if (row && row->dense)
        record_hash_add(hash, from, (size_t)count * row->extent);
    else if (row && *row->parts)
        add_gapped(hash, row, from, count);
    else if (summand__datatype_read(handle, &type) != MPI_SUCCESS)
        return false;
    else if (type.dense)
        record_hash_add(hash, from + type.true_lb, (size_t)count * (size_t)type.size);
    else
        return add_packed(hash, &type, from, count);
    return true;
}

static long long block_count(const struct record_data *data, int block)
{
    return data->counts         ? data->counts[block]
           : data->large_counts ? (long long)data->large_counts[block]
                                : data->count;
}

static MPI_Aint block_place(const struct record_data *data, int block)
{
    return data->displs ? data->displs[block] : data->large_displs ? data->large_displs[block] : 0;
}

struct record_hashed record_hash_data(const struct record_data *data)
{
    struct record_hash hash = record_hash_begin();
    MPI_Aint lb, extent = 0;
    bool good = data->blocks > 0 && data->type != MPI_DATATYPE_NULL;
    if (good && (data->displs || data->large_displs))
        good = PMPI_Type_get_extent(data->type, &lb, &extent) == MPI_SUCCESS;
    for (int i = 0; i < data->blocks && good; i++)
        good =
            add_block(&hash, data->type, (const char *)data->buffer + block_place(data, i) * extent,
                      block_count(data, i));
    return (struct record_hashed){good, good ? record_hash_end(&hash) : 0};
}

/* The bits of a number: its sign, whether its exponent is the greatest, and its significand without
 * a leading one. `usual`: the significand of a NaN that the processor makes. */
struct bits {
    bool negative, special;
    uint64_t significand, usual;
};

static struct bits bits_of(char letter, const char *at)
{
    uint64_t d = 0;
    uint32_t f = 0;
    uint16_t end = 0;
    if (letter == 'f') {
        memcpy(&f, at, sizeof f);
        return (struct bits){f >> 31, (f >> 23 & 0xff) == 0xff, f & 0x7fffff, 1ull << 22};
    }
    memcpy(&d, at, sizeof d);
    if (letter == 'd')
        return (struct bits){d >> 63, (d >> 52 & 0x7ff) == 0x7ff, d & ~(~0ull << 52), 1ull << 51};
    memcpy(&end, at + sizeof d, sizeof end); /* x87's */
    return (struct bits){end >> 15, (end & 0x7fff) == 0x7fff, d & ~(1ull << 63), 1ull << 62};
}

/* A NaN whose significand is not the usual one, as strtod reads it: NaN of other bits look
 * different. 0: it is none, or a long double that is not x87's. */
static int print_nan(char letter, const char *at, char *text, size_t room)
{
    if (letter != 'f' && letter != 'd' && !(letter == 'L' && LDBL_MANT_DIG == 64))
        return 0;
    const struct bits bits = bits_of(letter, at);
    if (!bits.special || !bits.significand || bits.significand == bits.usual)
        return 0;
    return snprintf(text, room, "%snan(0x%llx)", bits.negative ? "-" : "",
                    (unsigned long long)bits.significand);
}

static int print_number(char letter, const char *at, char *text, size_t room)
{
    const int nan = print_nan(letter, at, text, room);
    if (nan)
        return nan;
    union {
        float f;
        double d;
        long double l;
        signed char b;
        unsigned char B;
        short s;
        unsigned short S;
        int i;
        unsigned I;
        long long q;
        unsigned long long U;
    } v = {0};
    memcpy(&v, at, kind_of(letter)->bytes);
    switch (letter) {
    case 'f':
        return summand__format(text, room, "%.9g", v.f);
    case 'd':
        return summand__format(text, room, "%.17g", v.d);
    case 'L':
        return summand__format(text, room, "%.21Lg", v.l);
    case 'b':
        return snprintf(text, room, "%d", v.b);
    case 'B':
        return snprintf(text, room, "%u", v.B);
    case 's':
        return snprintf(text, room, "%d", v.s);
    case 'S':
        return snprintf(text, room, "%u", v.S);
    case 'i':
        return snprintf(text, room, "%d", v.i);
    case 'I':
        return snprintf(text, room, "%u", v.I);
    case 'l':
        return snprintf(text, room, "%lld", v.q);
    default:
        return snprintf(text, room, "%llu", v.U);
    }
}

static long long total_count(const struct record_data *data)
{
    long long total = 0;
    for (int i = 0; i < data->blocks; i++)
        total += block_count(data, i);
    return total;
}

size_t record_print_values(const struct record_data *data, long long most, char *text, size_t room)
{
    enum { NUMBER = 32 };
    const struct known *row = known_of(data->type);
    const long long total = total_count(data);
    if (!row || !*row->parts || !data->buffer || total < 1 || total > most)
        return 0;
    const struct places places = places_of(row);
    size_t used = 0;
    for (int b = 0; b < data->blocks; b++) {
        const char *at = (const char *)data->buffer + block_place(data, b) * (MPI_Aint)row->extent;
        for (long long i = 0; i < block_count(data, b); i++, at += row->extent)
            for (int k = 0; k < places.count; k++) {
                if (used + NUMBER + 1 >= room)
                    return 0;
                text[used++] = ' ';
                used += (size_t)print_number(places.at[k].kind->letter, at + places.at[k].offset,
                                             text + used, NUMBER);
            }
    }
    return used;
}
