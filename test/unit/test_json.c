/* JSON of the command: what is written is read back the same, every text of RFC 8259's grammar that
 * is tried is taken or refused as it should be, and random bytes break nothing (run under
 * sanitizers). That reports are JSON for others too is tested where they are written, with jansson.
 */
#include "json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];

static json_t *read_bytes(const char *text, size_t length, json_error_t *error)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
    return json_load_file(path, 0, error);
}

static json_t *read_text(const char *text, json_error_t *error)
{
    return read_bytes(text, strlen(text), error);
}

/* Text, and how it is written again without spaces; NULL: refused. */
static void test_texts(void **state)
{
    static const char *const cases[][2] = {
        {"{}", "{}"},
        {" [ ] \n", "[]"},
        {"[1,-2,0,1.5,-0.0,1e3,2E-2,1e+2]", "[1,-2,0,1.5,-0.0,1000.0,0.02,100.0]"},
        {"[9223372036854775807,-9223372036854775808,9223372036854775808]",
         "[9223372036854775807,-9223372036854775808,9.2233720368547758e+18]"},
        {"[true,false,null]", "[true,false,null]"},
        {"{\"a\":{\"b\":[1]},\"c\":\"\"}", "{\"a\":{\"b\":[1]},\"c\":\"\"}"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}"},
        {"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"]",
         "[\"\\\"\\\\/\\b\\f\\n\\r\\tA\u00e9\u20ac\U0001f600\"]"},
        {"[\"\\u0001\\u001f\"]", "[\"\\u0001\\u001f\"]"},
        {"", NULL},
        {"1", NULL},
        {"{", NULL},
        {"[1", NULL},
        {"[1,]", NULL},
        {"[,1]", NULL},
        {"[1 2]", NULL},
        {"[01]", NULL},
        {"[-]", NULL},
        {"[1.]", NULL},
        {"[.5]", NULL},
        {"[1e]", NULL},
        {"[1e999]", NULL},
        {"[+1]", NULL},
        {"[nul]", NULL},
        {"[NaN]", NULL},
        {"{\"a\"}", NULL},
        {"{\"a\":}", NULL},
        {"{\"a\":1,}", NULL},
        {"{a:1}", NULL},
        {"{'a':1}", NULL},
        {"[\"a", NULL},
        {"[\"\\", NULL},
        {"[\"\\x\"]", NULL},
        {"[\"\\u12\"]", NULL},
        {"[\"\\u0000\"]", NULL},
        {"[\"\\ud800\"]", NULL},
        {"[\"\\udc00\"]", NULL},
        {"[\"\\ud800\\u0041\"]", NULL},
        {"[\"a\nb\"]", NULL},
        {"[] []", NULL},
        {"{}x", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_error_t error;
        json_t *json = read_text(cases[i][0], &error);
        if (!cases[i][1]) {
            if (json)
                fail_msg("taken: %s", cases[i][0]);
            assert_true(error.text[0] && error.line >= 1);
            continue;
        }
        if (!json)
            fail_msg("refused: %s: %s", cases[i][0], error.text);
        char *again = json_dumps(json, JSON_COMPACT);
        assert_string_equal(again, cases[i][1]);
        free(again);
        json_decref(json);
    }
}

static void test_errors(void **state)
{
    json_error_t error;
    char deep[5000];
    (void)state;
    assert_null(read_text("{\n \"a\": 1,\n}", &error));
    assert_int_equal(error.line, 3);
    assert_string_equal(error.text, "a key in quotation marks expected, not '}'");
    memset(deep, '[', sizeof deep);
    assert_null(read_bytes(deep, sizeof deep, &error));
    assert_string_equal(error.text, "more than 1000 levels");
    assert_null(read_bytes("[]\0[]", 5, &error));
    assert_null(json_load_file("/nowhere/at.all", 0, &error));
    assert_int_equal(error.line, 0);
    assert_true(strlen(error.text) > 0);
    assert_null(json_load_file("/nowhere/at.all", 0, NULL));
}

/* Every double comes back with its bits. */
static void test_numbers(void **state)
{
    uint64_t seed = 1;
    json_t *list = json_array();
    double in[200];
    (void)state;
    for (int i = 0; i < 200; i++) {
        do {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            memcpy(&in[i], &seed, sizeof seed);
        } while (!isfinite(in[i]));
        assert_int_equal(json_array_append_new(list, json_real(in[i])), 0);
    }
    char *text = json_dumps(list, 0);
    json_t *again = read_text(text, NULL);
    assert_int_equal(json_array_size(again), 200);
    for (size_t i = 0; i < 200; i++) {
        double out = json_real_value(json_array_get(again, i));
        assert_memory_equal(&out, &in[i], sizeof out);
    }
    free(text);
    json_decref(list);
    json_decref(again);
}

static void test_pack(void **state)
{
    const char *name, *key;
    json_int_t large;
    int small, truth, keys = 0;
    double real, number;
    json_t *value, *part = json_array(), *rest;
    (void)state;
    json_t *object = json_pack("{s:s, s:I, s:i, s:f, s:b, s:s?, s:O, s:f}", "name", "\xff\xc3\xa9",
                               "large", (json_int_t)1 << 40, "small", -3, "real", 0.5, "truth", 7,
                               "none", NULL, "part", part, "nan", (double)NAN);
    json_decref(part);
    char *text = json_dumps(object, 0);
    assert_string_equal(text, "{\"name\": \"\xef\xbf\xbd\xc3\xa9\", \"large\": 1099511627776, "
                              "\"small\": -3, \"real\": 0.5, \"truth\": true, \"none\": null, "
                              "\"part\": [], \"nan\": null}");
    free(text);
    assert_int_equal(json_unpack(object, "{s:s, s:I, s:i, s:f, s:F, s:b, s:o}", "name", &name,
                                 "large", &large, "small", &small, "real", &real, "small", &number,
                                 "truth", &truth, "part", &rest),
                     0);
    assert_true(large == (json_int_t)1 << 40 && small == -3 && truth == 1 && rest == part);
    assert_true(real == 0.5 && number == -3);
    assert_int_equal(json_unpack(object, "{s:s}", "large", &name), -1);
    assert_int_equal(json_unpack(object, "{s:i}", "nothing", &small), -1);
    assert_null(json_pack("{s:s}", "a", NULL));
    assert_null(json_pack("{s:i, s:o}", "a", 1, "b", NULL));
    json_object_foreach(object, key, value) keys += key && value;
    assert_int_equal(keys, 8);
    json_decref(object);
}

static void test_indent(void **state)
{
    json_t *object = json_pack("{s:i, s:o}", "a", 1, "b", json_array());
    (void)state;
    json_array_append_new(json_object_get(object, "b"), json_real(1));
    char *text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(3));
    assert_string_equal(text, "{\n  \"a\": 1,\n  \"b\": [\n    1.0\n  ]\n}");
    free(text);
    assert_null(json_dumps(json_object_get(object, "a"), 0));
    json_decref(object);
}

/* A report with one byte changed, or cut off, is read or refused. */
static void test_broken(void **state)
{
    static const char report[] =
        "{\"a\": [1, -2.5e3, \"x\\u20ac\\n\", null, true], \"b\": {\"c\": {}}}";
    uint64_t seed = 7;
    (void)state;
    for (int i = 0; i < 3000; i++) {
        char text[sizeof report];
        json_error_t error;
        memcpy(text, report, sizeof report);
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        text[(seed >> 33) % (sizeof report - 1)] = (char)(seed >> 24);
        size_t length = i % 2 ? sizeof report - 1 : (seed >> 40) % sizeof report;
        json_t *json = read_bytes(text, length, &error);
        char *again = json_dumps(json, 0);
        assert_true(json ? again != NULL : error.text[0] != 0);
        free(again);
        json_decref(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts), cmocka_unit_test(test_errors), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_pack),  cmocka_unit_test(test_indent), cmocka_unit_test(test_broken)};
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/json-XXXXXX", folder && strlen(folder) < 40 ? folder : "/tmp");
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
