/* np: 1 3 4, long: 2 5 8; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices from and to files: bytes written by a plain loop are read, and written files have the
 * bytes of a plain loop. Covers all versions of .npy headers, both orders, both byte orders and all
 * types. Other files are refused on all ranks; a file is written whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "mpi/matrices.h"
#include "mpi/refused.h"

enum { ROOM = 1 << 16 };

static MPI_Comm comm;
static char folder[64], path[128];

/* Rank 0 makes a folder. */
static void make_folder(void)
{
    strcpy(folder, "matrix-file-XXXXXX");
    if (!harness_rank && !mkdtemp(folder))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/matrix", folder);
}

static void write_bytes(const void *bytes, size_t count)
{
    MPI_Barrier(MPI_COMM_WORLD); /* all have closed the file before */
    FILE *file = harness_rank ? NULL : fopen(path, "wb");
    if (file && (fwrite(bytes, 1, count, file) != count || fclose(file)))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static size_t read_bytes(unsigned char *bytes)
{
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(bytes, 1, ROOM, file) : 0;
    if (file)
        fclose(file);
    return count;
}

/* The numbers of a file, by a plain loop. */
static size_t numbers(unsigned char *bytes, MPI_Count rows, MPI_Count columns, int single,
                      int by_rows, int swapped, double salt)
{
    size_t unit = single ? 4 : 8, count = 0;
    for (MPI_Count k = 0; k < rows * columns; k++, count += unit) {
        double x = by_rows ? value_of(k / columns, k % columns, &salt)
                           : value_of(k % rows, k / rows, &salt);
        float f = (float)x;
        unsigned char number[8];
        memcpy(number, single ? (void *)&f : &x, unit);
        for (size_t b = 0; b < unit; b++)
            bytes[count + b] = number[swapped ? unit - 1 - b : b];
    }
    return count;
}

struct header {
    int version, by_rows;
    const char *type;
    const char *blank;
};

static size_t npy_header(unsigned char *bytes, const struct header *header, MPI_Count rows,
                         MPI_Count columns)
{
    char text[256];
    size_t field = header->version == 1 ? 2 : 4;
    int length = snprintf(
        text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%lld,%s%lld)%s}%*s\n",
        header->type, header->by_rows ? "False" : "True", (long long)rows, header->blank,
        (long long)columns, *header->blank ? ", " : "", header->version * 5, "");
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)header->version;
    bytes[7] = 0;
    for (size_t i = 0; i < field; i++)
        bytes[8 + i] = (unsigned char)(length >> 8 * i);
    memcpy(bytes + 8 + field, text, (size_t)length);
    return 8 + field + (size_t)length;
}

static int is_little(void)
{
    const int one = 1;
    return *(const char *)&one;
}

static void read_npy(MPI_Count rows, MPI_Count columns)
{
    static unsigned char bytes[ROOM];
    for (int k = 0; k < 24; k++) {
        int single = k % 2, by_rows = k / 2 % 2, big = k / 4 % 2;
        const char *types[2][2] = {{"<f8", "<f4"}, {">f8", ">f4"}};
        const struct header header = {1 + k / 8, by_rows, types[big][single], k % 3 ? " " : ""};
        struct held h;
        size_t begin = npy_header(bytes, &header, rows, columns);
        size_t count =
            numbers(bytes + begin, rows, columns, single, by_rows, big == is_little(), k);
        write_bytes(bytes, begin + count);
        draw_distribution(&h, rows, columns, -1);
        h.single = single;
        make_matrix(&h, comm);
        fill_matrix(&h, -1);
        int code =
            summand_matrix_read(h.matrix, path, k % 5 ? SUMMAND_FORMAT_NPY : SUMMAND_FORMAT_NPY_C);
        CHECK(code == MPI_SUCCESS, "npy %d: %d", k, code);
        check_matrix(&h, 0, k, "npy");
        drop_matrix(&h);
    }
}

/* A small positive number as a type's bytes, by the type's definition. */
static void put_typed(unsigned char *to, const char *type, unsigned value)
{
    const size_t width = (size_t)(type[2] - '0');
    uint64_t bits = value;
    if (type[1] == 'f' && width == 4) {
        const float narrow = (float)value;
        uint32_t word;
        memcpy(&word, &narrow, sizeof word);
        bits = word;
    } else if (type[1] == 'f') {
        unsigned power = 0;
        while (value >> power > 1)
            power++;
        bits = (power + 15) << 10 | ((value << (10 - power)) & 1023);
    }
    for (size_t b = 0; b < width; b++)
        to[type[0] == '>' ? width - 1 - b : b] = (unsigned char)(bits >> 8 * b);
}

/* Numbers of types other than the elements' type. */
static void read_typed(const char *type, MPI_Count rows, MPI_Count columns, int single, int good)
{
    static unsigned char bytes[ROOM];
    const struct header header = {1, 1, type, " "};
    double salt = 0;
    struct held h;
    size_t at = npy_header(bytes, &header, rows, columns);
    for (MPI_Count k = 0; k < rows * columns; k++, at += (size_t)(type[2] - '0'))
        put_typed(bytes + at, type, (unsigned)value_of(k / columns, k % columns, &salt));
    write_bytes(bytes, at);
    draw_distribution(&h, rows, columns, -1);
    h.single = single;
    make_matrix(&h, comm);
    fill_matrix(&h, -1);
    int code = summand_matrix_read(h.matrix, path, SUMMAND_FORMAT_NPY);
    CHECK(code == (good ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_FILE)), "%s, single %d: %d",
          type, single, code);
    if (good)
        check_matrix(&h, 0, 0, type);
    drop_matrix(&h);
}

static void all_types(void)
{
    static const char *const small[] = {"|i1", "<u1"};
    static const char *const medium[] = {"<f2", ">f2", "<i2", ">u2"};
    static const char *const wide[] = {"<f4", ">i4", "<u4", "<i8", ">u8"};
    for (int single = 0; single < 2; single++) {
        read_typed("|b1", 1, 1, single, 1);
        for (int t = 0; t < 2; t++)
            read_typed(small[t], 1, 30, single, 1);
        for (int t = 0; t < 4; t++)
            read_typed(medium[t], 13, 9, single, 1);
        for (int t = 0; t < 5; t++)
            read_typed(wide[t], 13, 90, single, !single || !t);
    }
    read_typed("<f8", 13, 9, 1, 0);
}

/* An integer between doubles: the rank that reads it reports it, and no rank has a matrix. */
static void between_doubles(void)
{
    static unsigned char bytes[ROOM];
    const struct header header = {1, 1, ">i8", " "};
    struct held h;
    size_t begin = npy_header(bytes, &header, 7, 5);
    memset(bytes + begin, 0, 7 * 5 * 8);
    memcpy(bytes + begin + 33 * 8, "\0\x20\0\0\0\0\0\1", 8); /* 2^53 + 1 */
    write_bytes(bytes, begin + 7 * 5 * 8);
    draw_distribution(&h, 7, 5, -1);
    make_matrix(&h, comm);
    int code = summand_matrix_read(h.matrix, path, SUMMAND_FORMAT_NPY), file = 0;
    CHECK(code != MPI_SUCCESS, "2^53 + 1 is taken");
    int mine = code == summand_error_code(SUMMAND_ERR_FILE);
    MPI_Allreduce(&mine, &file, 1, MPI_INT, MPI_SUM, comm);
    CHECK(file == 1 && (mine || code == summand_error_code(SUMMAND_ERR_REMOTE)), "%d, %d", code,
          file);
    drop_matrix(&h);
}

static void there_and_back(MPI_Count rows, MPI_Count columns)
{
    static unsigned char got[ROOM], right[ROOM];
    for (int format = SUMMAND_FORMAT_NPY; format <= SUMMAND_FORMAT_RAW_ROWS; format++)
        for (int single = 0; single < 2; single++) {
            int by_rows = format == SUMMAND_FORMAT_NPY_C || format == SUMMAND_FORMAT_RAW_ROWS;
            struct held h, back;
            size_t begin = 0;
            draw_distribution(&h, rows, columns, -1);
            h.single = single;
            make_matrix(&h, comm);
            fill_matrix(&h, format);
            int code = summand_matrix_write(h.matrix, path, (enum summand_format)format);
            CHECK(code == MPI_SUCCESS, "write as %d: %d", format, code);
            size_t count = read_bytes(got);
            if (format <= SUMMAND_FORMAT_NPY_C) {
                char text[256];
                snprintf(text, sizeof text,
                         "{'descr': '%cf%d', 'fortran_order': %s, 'shape': (%lld, %lld), }",
                         is_little() ? '<' : '>', single ? 4 : 8, by_rows ? "False" : "True",
                         (long long)rows, (long long)columns);
                begin = 10 + got[8] + 256u * got[9];
                CHECK(!memcmp(got, "\x93NUMPY\1\0", 8) && begin % 64 == 0 && begin <= count &&
                          !memcmp(got + 10, text, strlen(text)) && got[begin - 1] == '\n' &&
                          strspn((char *)got + 10 + strlen(text), " ") == begin - 11 - strlen(text),
                      "header as %d", format);
            }
            size_t numbered = numbers(right, rows, columns, single, by_rows, 0, format);
            CHECK(count == begin + numbered && !memcmp(got + begin, right, numbered),
                  "bytes as %d: %zu of %zu", format, count, begin + numbered);
            draw_distribution(&back, rows, columns, -1);
            back.single = single;
            make_matrix(&back, comm);
            code = summand_matrix_read(back.matrix, path, (enum summand_format)format);
            CHECK(code == MPI_SUCCESS, "read as %d: %d", format, code);
            check_matrix(&back, 0, format, "there and back");
            drop_matrix(&h);
            drop_matrix(&back);
            MPI_Barrier(MPI_COMM_WORLD);
        }
}

/* Every rank has its own error, which names the argument. */
static void refused(int got, int code, const char *what)
{
    check_refused(got, code, ALL_RANKS, strcmp(what, "no format") ? "path " : "format is 4", what);
}

static void bad_files(void)
{
    static unsigned char bytes[ROOM];
    enum { ROWS = 6, COLUMNS = 5 };
    const int wrong = summand_error_code(SUMMAND_ERR_FILE);
    static const char *const headers[] = {
        "{'descr': '<f8', 'fortran_order': True, 'shape': (6, 5, 1), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (30,), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (5, 6), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (6, -5), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (6, 5",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (6; 5)}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (6, 99999999999999999999)}",
        "{'descr': '<f8', 'fortran_order': maybe, 'shape': (6, 5), }",
        "{'descr': '<f8', 'shape': (6, 5), }",
        "{'fortran_order': True, 'shape': (6, 5), }",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (6, 5), }", /* the file is too long */
        "{'descr': '<f2', 'fortran_order': True, 'shape': (6, 5), }",
        "{'descr': '<c8', 'fortran_order': True, 'shape': (6, 5), }",
        "{'descr': '<c16', 'fortran_order': True, 'shape': (6, 5), }",
        "{'descr': [('a', '<f8')], 'fortran_order': True, 'shape': (6, 5), }",
        ""};
    struct held h;
    draw_distribution(&h, ROWS, COLUMNS, -1);
    make_matrix(&h, comm);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        size_t length = strlen(headers[i]);
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes, "\x93NUMPY\1", 8);
        bytes[8] = (unsigned char)length;
        memcpy(bytes + 10, headers[i], length);
        write_bytes(bytes, 10 + length + ROWS * COLUMNS * 8);
        refused(summand_matrix_read(h.matrix, path, SUMMAND_FORMAT_NPY), wrong, headers[i]);
    }
    const struct header good = {1, 0, "<f8", " "};
    size_t begin = npy_header(bytes, &good, ROWS, COLUMNS), all = begin + ROWS * COLUMNS * 8;
    for (size_t cut = 0; cut < 5; cut++) {
        const size_t lengths[] = {0, 7, begin - 3, all - 1, all + 1};
        write_bytes(bytes, lengths[cut]);
        refused(summand_matrix_read(h.matrix, path, SUMMAND_FORMAT_NPY), wrong, "another length");
        refused(summand_matrix_read(h.matrix, path, SUMMAND_FORMAT_RAW_ROWS), wrong,
                "raw, another length");
    }
    bytes[6] = 4;
    write_bytes(bytes, all);
    refused(summand_matrix_read(h.matrix, path, SUMMAND_FORMAT_NPY), wrong, "version 4");
    bytes[6] = 2; /* its length field has 4 bytes and is huge; then the largest allowed */
    write_bytes(bytes, all);
    refused(summand_matrix_read(h.matrix, path, SUMMAND_FORMAT_NPY), wrong, "a long header");
    memcpy(bytes + 8, "\0\0\17\0", 4);
    write_bytes(bytes, all);
    refused(summand_matrix_read(h.matrix, path, SUMMAND_FORMAT_NPY), wrong, "a header cut short");
    MPI_Barrier(MPI_COMM_WORLD);
    if (!harness_rank)
        unlink(path);
    MPI_Barrier(MPI_COMM_WORLD);
    refused(summand_matrix_read(h.matrix, path, SUMMAND_FORMAT_NPY), MPI_ERR_NO_SUCH_FILE,
            "no file");
    refused(summand_matrix_read(h.matrix, folder, SUMMAND_FORMAT_NPY), wrong, "a folder");
    refused(summand_matrix_read(h.matrix, "/dev/null", SUMMAND_FORMAT_RAW_ROWS), wrong, "a device");
    refused(summand_matrix_read(h.matrix, NULL, SUMMAND_FORMAT_NPY),
            summand_error_code(SUMMAND_ERR_ARGUMENT), "no path");
    refused(summand_matrix_read(h.matrix, path, (enum summand_format)4),
            summand_error_code(SUMMAND_ERR_ARGUMENT), "no format");
    drop_matrix(&h);
}

static int entries(void)
{
    int count = 0;
    DIR *at = opendir(folder);
    for (struct dirent *entry; at && (entry = readdir(at));)
        count += *entry->d_name != '.' || !strncmp(entry->d_name, ".summand", 8);
    if (at)
        closedir(at);
    return count;
}

/* If the new file cannot be made, the old one stays, and nothing is left over. */
static void whole_or_not_at_all(void)
{
    static unsigned char bytes[ROOM];
    char missing[256];
    const int mismatch = summand_error_code(SUMMAND_ERR_MISMATCH);
    const int remote = summand_error_code(SUMMAND_ERR_REMOTE);
    struct held h;
    draw_distribution(&h, 12, 9, -1);
    make_matrix(&h, comm);
    fill_matrix(&h, 0);
    write_bytes("old", 3);
    int leader = harness_rank == h.group[0];
    snprintf(missing, sizeof missing, "%s/missing/matrix", folder);
    int code = summand_matrix_write(h.matrix, missing, SUMMAND_FORMAT_NPY);
    CHECK(code == (leader ? MPI_ERR_NO_SUCH_FILE : remote), "no folder: %d", code);
    code = summand_matrix_write(h.matrix, "/dev/null", SUMMAND_FORMAT_NPY);
    CHECK(code == (leader ? MPI_ERR_BAD_FILE : remote), "a device: %d", code);
    code = summand_matrix_write(h.matrix, folder, SUMMAND_FORMAT_NPY);
    CHECK(code == (leader ? MPI_ERR_BAD_FILE : remote), "a folder: %d", code);
    if (harness_ranks > 1) {
        code = summand_matrix_write(h.matrix, harness_rank ? path : missing, SUMMAND_FORMAT_NPY);
        CHECK(code == mismatch, "paths differ: %d", code);
        code = summand_matrix_write(h.matrix, path,
                                    harness_rank ? SUMMAND_FORMAT_NPY : SUMMAND_FORMAT_NPY_C);
        CHECK(code == mismatch, "formats differ: %d", code);
    }
    CHECK(read_bytes(bytes) == 3 && !memcmp(bytes, "old", 3), "the old file");
    CHECK(entries() == 1, "%d files", entries());
    MPI_Barrier(MPI_COMM_WORLD);
    code = summand_matrix_write(h.matrix, path, SUMMAND_FORMAT_RAW_COLUMNS);
    CHECK(code == MPI_SUCCESS && read_bytes(bytes) == 12 * 9 * 8, "the new file: %d", code);
    CHECK(entries() == 1, "%d files", entries());
    drop_matrix(&h);
}

/* No space for the file, on all ranks or on one that does not create it: as on a full disk. */
static void no_room(void)
{
    static unsigned char bytes[ROOM];
    struct held h;
    struct rlimit kept, few;
    getrlimit(RLIMIT_FSIZE, &kept);
    signal(SIGXFSZ, SIG_IGN);
    write_bytes("old", 3);
    for (int one = 0; one < (harness_ranks > 1 ? 2 : 1); one++) {
        draw_distribution(&h, 60, 50, -1);
        make_matrix(&h, comm);
        fill_matrix(&h, 0);
        int last = h.group[h.shape.grid_rows * h.shape.grid_columns - 1];
        int short_of_room = !one || (harness_rank == last && last != h.group[0]);
        few = kept;
        few.rlim_cur = short_of_room ? 1024 : kept.rlim_cur;
        setrlimit(RLIMIT_FSIZE, &few);
        int code = summand_matrix_write(h.matrix, path, SUMMAND_FORMAT_NPY);
        setrlimit(RLIMIT_FSIZE, &kept);
        int fails = !one || last != h.group[0];
        CHECK((code != MPI_SUCCESS) == fails, "no room, %d: %d", one, code);
        MPI_Barrier(MPI_COMM_WORLD);
        size_t count = read_bytes(bytes);
        CHECK(!fails || (count == 3 && !memcmp(bytes, "old", 3)), "no room, %d: the old file", one);
        CHECK(entries() == 1, "%d files", entries());
        drop_matrix(&h);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

TESTS
{
    matrices_seed = harness_seed();
    comm = harness_comm();
    make_folder();
    read_npy(13, 9);
    read_npy(1, 30);
    all_types();
    between_doubles();
    there_and_back(17, 23);
    there_and_back(40, 2);
    there_and_back(0, 4);
    there_and_back(1, 37);
    there_and_back(37, 1);
    there_and_back(3, 3);
    bad_files();
    whole_or_not_at_all();
    no_room();
    MPI_Barrier(MPI_COMM_WORLD);
    if (!harness_rank && (unlink(path) || rmdir(folder)))
        CHECK(0, "the folder is not empty");
    MPI_Comm_free(&comm);
}
