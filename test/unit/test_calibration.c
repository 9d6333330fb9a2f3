/* Calibrations: their text, what is no such text, where they are kept, and which messages are read.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "calibrate/measure.h"
#include "calibrate/store.h"

static char folder[] = "/tmp/summand-calibration-XXXXXX";

static struct summand__calibration some_values(int which)
{
    struct summand__calibration calibration;
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

static void comes_back(void **state)
{
    (void)state;
    struct summand__calibration made = some_values(3), read;
    char *text = text_of(&made), machine[64];
    assert_true(summand__calibration_parse(text, &read, machine, sizeof machine));
    assert_memory_equal(&made, &read, sizeof made);
    assert_string_equal(machine, "a machine, 2 on line");
    free(text);
}

/* Every cut of a text, and every change of one byte, is refused or says values within bounds. */
static void damage_is_seen(void **state)
{
    (void)state;
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

static void lines_are_all_there_once(void **state)
{
    (void)state;
    struct summand__calibration made = some_values(3), read;
    char *text = text_of(&made), machine[64], longer[2048];
    snprintf(longer, sizeof longer, "%sline = 9 ns\n", text);
    assert_false(summand__calibration_parse(longer, &read, machine, sizeof machine));
    snprintf(longer, sizeof longer, "%swhatever = 9 ns\n", text);
    assert_false(summand__calibration_parse(longer, &read, machine, sizeof machine));
    snprintf(longer, sizeof longer, "%s\n# a remark\n\n", text);
    assert_true(summand__calibration_parse(longer, &read, machine, sizeof machine));
    made.value[SUMMAND__LINE_TIME] = summand__quantities[SUMMAND__LINE_TIME].most + 1;
    free(text);
    text = text_of(&made);
    assert_false(summand__calibration_parse(text, &read, machine, sizeof machine));
    free(text);
}

static void files_that_are_none(void **state)
{
    (void)state;
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

static void kept_for_this_machine(void **state)
{
    (void)state;
    struct summand__calibration made = some_values(5), read;
    char path[PATH_MAX], machine[SUMMAND__MACHINE_KEY];
    const char *fault = NULL;
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_true(summand__calibration_path(path));
    assert_true(summand__calibration_keepable(path));
    assert_true(summand__calibration_save(path, &made));
    summand__calibration_machine(machine);
    assert_true(summand__calibration_load(path, machine, &read, &fault));
    assert_memory_equal(&made, &read, sizeof made);
    assert_false(summand__calibration_load(path, "another one", &read, &fault));
    assert_string_equal(fault, "from another machine");
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    setenv("HOME", "", 1);
    assert_false(summand__calibration_path(path));
    snprintf(path, sizeof path, "%s/a-file", folder);
    write_file(path, "");
    setenv("XDG_CACHE_HOME", path, 1); /* no folder can be made there, whoever asks */
    assert_true(summand__calibration_path(path));
    assert_false(summand__calibration_keepable(path));
    assert_false(summand__calibration_save(path, &made));
    setenv("XDG_CACHE_HOME", "/proc/self", 1);
    assert_true(summand__calibration_path(path));
    assert_false(summand__calibration_keepable(path));
}

/* Writers at once: whoever reads meanwhile has the values of one of them. */
static void writers_at_once(void **state)
{
    (void)state;
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

static void check_range(const double gain[SUMMAND__PAIR_SIZES], int64_t least, int64_t end)
{
    int64_t found[2];
    summand__read_range(gain, &found[0], &found[1]);
    assert_int_equal(found[0], least);
    assert_int_equal(found[1], end);
}

static void reads_where_they_win(void **state)
{
    (void)state;
    check_range((double[]){0.6, 0.7, 0.8, 0.9, 1.0, 1.02}, 0, 0);
    check_range((double[]){0, 0, 0, 0, 0, 0}, 0, 0);
    check_range((double[]){0.6, 0.7, 1.1, 1.3, 1.2, 1.2}, 16384, 262144);
    check_range((double[]){0.6, 1.3, 1.3, 0.9, 1.1, 1.1}, 8192, 32768);
    check_range((double[]){0.6, 1.1, 0.9, 1.2, 1.2, 0.5}, 32768, 131072);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(comes_back),
                                       cmocka_unit_test(damage_is_seen),
                                       cmocka_unit_test(lines_are_all_there_once),
                                       cmocka_unit_test(files_that_are_none),
                                       cmocka_unit_test(kept_for_this_machine),
                                       cmocka_unit_test(writers_at_once),
                                       cmocka_unit_test(reads_where_they_win)};
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) || failed;
}
