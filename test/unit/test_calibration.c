/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibrations: the machines that they tell apart, their text, texts that are refused, the folder
 * of their files. */
#define UNIT_MAIN
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/machine.h"
#include "calibrate/store.h"
#include "unit/unit.h"

static char folder[] = "/tmp/summand-calibration-XXXXXX";

static struct summand__calibration some_values(int which)
{
    struct summand__calibration calibration = {.unsettled = 0};
    for (int q = 0; q < SUMMAND__QUANTITIES; q++)
        calibration.value[q] = summand__quantities[q].least + 1 + which * 7 + q;
    return calibration;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static char *text_of(const struct summand__calibration *calibration)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    summand__calibration_print(calibration, "a machine, 2 on line", file);
    fclose(file);
    return text;
}

TEST(comes_back)
{
    struct summand__calibration made = some_values(3), read;
    char *text = text_of(&made), machine[64];
    assert_true(summand__calibration_parse(text, &read, machine, sizeof machine));
    assert_memory_equal(&made, &read, sizeof made);
    assert_string_equal(machine, "a machine, 2 on line");
    assert_null(strstr(text, "unsettled"));
    free(text);
    made.unsettled = INT64_C(1763900000);
    text = text_of(&made);
    assert_true(summand__calibration_parse(text, &read, machine, sizeof machine));
    assert_memory_equal(&made, &read, sizeof made);
    free(text);
}

/* A settled calibration holds for ever. An unsettled one holds for an hour, and not if the clock
 * stands before the measurement. */
TEST(unsettled_holds_for_an_hour)
{
    const int64_t then = INT64_C(1763900000);
    struct summand__calibration made = some_values(3), read;
    assert_true(summand__calibration_holds(&made, 0) && summand__calibration_holds(&made, then));
    made.unsettled = then;
    assert_true(summand__calibration_holds(&made, then));
    assert_true(summand__calibration_holds(&made, then + 3599));
    assert_false(summand__calibration_holds(&made, then + 3600));
    assert_false(summand__calibration_holds(&made, then - 1));
    assert_false(summand__calibration_holds(&made, INT64_MIN));
    static const char *const no_times[] = {"-1 s", "0 s", "7 ns", "x s", "7", "7 s s"};
    made.unsettled = 0;
    char *text = text_of(&made), machine[64], longer[2048];
    for (size_t i = 0; i < sizeof no_times / sizeof *no_times; i++) {
        snprintf(longer, sizeof longer, "%sunsettled = %s\n", text, no_times[i]);
        assert_false(summand__calibration_parse(longer, &read, machine, sizeof machine));
        assert_int_equal(read.unsettled, 0);
    }
    snprintf(longer, sizeof longer, "%sunsettled = 7 s\nunsettled = 8 s\n", text);
    assert_false(summand__calibration_parse(longer, &read, machine, sizeof machine));
    free(text);
}

/* Every cut of a text, and every change of one byte, is refused or says values within bounds. */
TEST(damage_is_seen)
{
    struct summand__calibration made = some_values(3), read;
    const struct summand__calibration standard = summand__calibration_standard();
    char *text = text_of(&made), machine[64];
    size_t length = strlen(text);
    for (size_t cut = 0; cut + 1 < length; cut++) {
        char kept = text[cut];
        text[cut] = '\0';
        assert_false(summand__calibration_parse(text, &read, machine, sizeof machine));
        assert_memory_equal(&read, &standard, sizeof read);
        text[cut] = kept;
    }
    for (size_t at = 0; at < length; at++)
        for (int byte = 1; byte < 256; byte += 3) {
            char kept = text[at];
            text[at] = (char)byte;
            bool good = summand__calibration_parse(text, &read, machine, sizeof machine);
            for (int q = 0; q < SUMMAND__QUANTITIES; q++)
                assert_true(good ? read.value[q] >= summand__quantities[q].least &&
                                       read.value[q] <= summand__quantities[q].most
                                 : read.value[q] == standard.value[q]);
            text[at] = kept;
        }
    free(text);
}

TEST(lines_are_all_there_once)
{
    struct summand__calibration made = some_values(3), read;
    char *text = text_of(&made), machine[64], longer[2048];
    snprintf(longer, sizeof longer, "%sline = 9 ns\n", text);
    assert_false(summand__calibration_parse(longer, &read, machine, sizeof machine));
    snprintf(longer, sizeof longer, "%swhatever = 9 ns\n", text);
    assert_false(summand__calibration_parse(longer, &read, machine, sizeof machine));
    snprintf(longer, sizeof longer, "%s\n# a remark\n\n", text);
    assert_true(summand__calibration_parse(longer, &read, machine, sizeof machine));
    snprintf(longer, sizeof longer, "# Summand's calibration, version 4: old\n%s", text);
    assert_false(summand__calibration_parse(longer, &read, machine, sizeof machine));
    made.value[SUMMAND__LINE_TIME] = summand__quantities[SUMMAND__LINE_TIME].most + 1;
    free(text);
    text = text_of(&made);
    assert_false(summand__calibration_parse(text, &read, machine, sizeof machine));
    free(text);
}

TEST(files_that_are_none)
{
    struct summand__calibration read;
    const struct summand__calibration standard = summand__calibration_standard();
    const char *fault = NULL;
    char path[PATH_MAX], *large = malloc(1 << 20);
    memset(large, '#', 1 << 20);
    large[(1 << 20) - 1] = '\0';
    snprintf(path, sizeof path, "%s/file", folder);
    assert_false(summand__calibration_load(path, NULL, &read, &fault));
    assert_string_equal(fault, "No such file or directory");
    write_file(path, "");
    assert_false(summand__calibration_load(path, NULL, &read, &fault));
    write_file(path, large);
    assert_false(summand__calibration_load(path, NULL, &read, &fault));
    assert_false(summand__calibration_load(folder, NULL, &read, &fault));
    assert_string_equal(fault, "not a regular file");
    assert_false(summand__calibration_load("/dev/zero", NULL, &read, &fault));
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(summand__calibration_load(path, NULL, &read, &fault)); /* and does not wait */
    unlink(path);
    assert_memory_equal(&read, &standard, sizeof read);
    free(large);
}

TEST(kept_for_this_machine)
{
    struct summand__calibration made = some_values(5), read;
    char path[PATH_MAX], machine[SUMMAND__MACHINE_KEY];
    const char *fault = NULL;
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_true(summand__calibration_path(6, 16, path));
    assert_true(summand__calibration_keepable(path));
    assert_true(summand__calibration_save(path, &made));
    summand__calibration_machine(machine);
    assert_true(summand__calibration_load(path, machine, &read, &fault));
    assert_memory_equal(&made, &read, sizeof made);
    assert_false(summand__calibration_load(path, "another one", &read, &fault));
    assert_string_equal(fault, "from another machine");
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    setenv("HOME", "", 1);
    assert_false(summand__calibration_path(0, 16, path));
    snprintf(path, sizeof path, "%s/a-file", folder);
    write_file(path, "");
    setenv("XDG_CACHE_HOME", path, 1); /* no user can make a folder there */
    assert_true(summand__calibration_path(0, 16, path));
    assert_false(summand__calibration_keepable(path));
    assert_false(summand__calibration_save(path, &made));
    setenv("XDG_CACHE_HOME", "/proc/self", 1);
    assert_true(summand__calibration_path(0, 16, path));
    assert_false(summand__calibration_keepable(path));
}

static void check_found(const struct summand__kept *list, int distance, unsigned slots,
                        const struct summand__calibration *calibration)
{
    const struct summand__kept *kept = summand__calibration_find(list, 4, distance, slots);
    assert_non_null(kept);
    assert_memory_equal(&kept->calibration, calibration, sizeof *calibration);
}

TEST(kept_by_distance)
{
    static const char *const others[] = {"calibration-", "calibration-0123456789abcdef-64ns-16",
                                         "tuning"};
    struct summand__calibration near = some_values(1), far = some_values(2), pair = some_values(3);
    struct summand__kept list[SUMMAND__MOST_KEPT];
    char path[PATH_MAX];
    assert_int_equal(summand__calibration_distance(1), 0);
    assert_int_equal(summand__calibration_distance(63), 5);
    assert_int_equal(summand__calibration_distance(64), 6);
    assert_int_equal(summand__calibration_distance(summand__quantities[SUMMAND__LINE_TIME].most),
                     SUMMAND__DISTANCES - 1);
    snprintf(path, sizeof path, "%s/distances", folder);
    setenv("XDG_CACHE_HOME", path, 1);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(summand__calibration_list(list), 0);
    assert_null(summand__calibration_find(list, 0, SUMMAND__ANY_DISTANCE, 16));
    assert_true(summand__calibration_path(9, 16, path) && summand__calibration_keepable(path));
    assert_true(summand__calibration_save(path, &far));
    assert_true(summand__calibration_path(5, 16, path) && summand__calibration_save(path, &near));
    assert_true(summand__calibration_path(6, 128, path) && summand__calibration_save(path, &pair));
    assert_true(summand__calibration_path(6, 8, path));
    write_file(path, "line = 77 ns\n");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) { /* no files of calibrations */
        strcpy(strrchr(path, '/') + 1, others[i]);
        write_file(path, "");
    }
    assert_int_equal(summand__calibration_list(list), 4); /* in order */
    assert_true(list[0].distance == 6 && list[0].slots == 8 && list[0].fault);
    assert_true(list[1].distance == 5 && list[2].distance == 9 && !list[1].fault);
    assert_true(list[3].distance == 6 && list[3].slots == 128);
    check_found(list, 9, 16, &far);
    check_found(list, 5, 16, &near);
    check_found(list, SUMMAND__ANY_DISTANCE, 16, &near); /* the standard's is 6 */
    check_found(list, SUMMAND__ANY_DISTANCE, 128, &pair);
    check_found(list, SUMMAND__ANY_DISTANCE, 8, &pair); /* that of 8 is damaged */
    assert_null(summand__calibration_find(list, 4, 6, 16));
    assert_null(summand__calibration_find(list, 4, 6, 8));
    assert_null(summand__calibration_find(list, 4, 9, 128));
}

/* Concurrent writers: a concurrent reader gets the complete values of one of them. */
TEST(writers_at_once)
{
    enum { WRITERS = 4, TIMES = 25 };
    char path[PATH_MAX];
    const char *fault = NULL;
    struct summand__calibration read, made = some_values(0);
    snprintf(path, sizeof path, "%s/shared", folder);
    assert_true(summand__calibration_save(path, &made));
    for (int w = 0; w < WRITERS; w++)
        if (!fork()) {
            made = some_values(w);
            for (int i = 0; i < TIMES; i++)
                summand__calibration_save(path, &made);
            _exit(0);
        }
    for (int i = 0; i < 20 * TIMES; i++) {
        assert_true(summand__calibration_load(path, NULL, &read, &fault));
        bool some = false;
        for (int w = 0; w < WRITERS; w++) {
            made = some_values(w);
            some = some || !memcmp(&made, &read, sizeof made);
        }
        assert_true(some);
    }
    for (int w = 0; w < WRITERS; w++)
        wait(NULL);
}

/* First lines of /proc/cpuinfo, as Linux writes it there. */
TEST(processors_differ)
{
    static const struct {
        const char *facts, *name, *kind; /* name NULL: the architecture's */
    } rows[] = {
        {"processor\t: 0\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Intel(R) Xeon(R) "
         "Processor\n"
         "stepping\t: 2\ncpu cores\t: 2\n\nmodel\t: 1\n",
         "Intel(R) Xeon(R) Processor", "6 207 2"},
        {"processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
         "CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n",
         NULL, "0x41 0x3 0xd0c 1"},
        {"processor\t: 0\nBogoMIPS\t: 200.00\nFeatures\t: fp sve\nCPU implementer\t: 0x46\n"
         "CPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0x001\nCPU revision\t: 0\n\n",
         NULL, "0x46 0x1 0x001 0"},
        {"processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 3800.0MHz\n"
         "revision\t: 2.2 (pvr 004e 1202)\n\n",
         "POWER9, altivec supported", "2.2 (pvr 004e 1202)"},
        {"processor\t: 0\nhart\t\t: 1\nuarch\t\t: sifive,u74-mc\nmvendorid\t: 0x489\n",
         "sifive,u74-mc", "0x489"},
        {"", NULL, ""}};
    struct utsname system;
    assert_int_equal(uname(&system), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FILE *file = tmpfile();
        assert_true(file && fputs(rows[i].facts, file) >= 0);
        rewind(file);
        struct summand__processor processor = summand__processor_of(file);
        assert_string_equal(processor.name, rows[i].name ? rows[i].name : system.machine);
        assert_string_equal(processor.kind, rows[i].kind);
        fclose(file);
    }
    assert_string_equal(summand__processor_of(NULL).name, system.machine);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(unit_tests, NULL, NULL);
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) || failed;
}
