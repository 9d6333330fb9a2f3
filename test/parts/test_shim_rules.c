/* SPDX-License-Identifier: BSD-3-Clause */
/* SUMMAND_MODE is read into the rules that its words say; each limit is met, missed by one byte on
 * each side, and a text that is none is refused with its reason. */
#include "shim/core/rules.h"
#include "unit/unit.h"

static const char *const names[] = {
#define ROW(name, id, meaning) [SHIM_MODE_##id] = #name,
    SHIM_MODES(ROW)
#undef ROW
};

static struct shim_rules rules_of(const char *text)
{
    struct shim_rules rules;
    char complaint[256] = "";
    assert_true(shim_rules_read(text, &rules, complaint, sizeof complaint));
    assert_string_equal(complaint, "");
    return rules;
}

/* The mode of a call of the rule's collective. */
static void expect(const struct shim_rules *rules, int64_t bytes, enum shim_mode mode)
{
    assert_string_equal(names[shim_rules_mode(rules, rules->rule[0].collective, bytes)],
                        names[mode]);
}

TEST(test_modes)
{
    for (int mode = 0; mode < SHIM_MODE_COUNT; mode++) {
        const struct shim_rules rules = rules_of(names[mode]);
        assert_int_equal(rules.count, 1);
        assert_int_equal(rules.rule[0].collective, -1);
        expect(&rules, 0, (enum shim_mode)mode);
        expect(&rules, INT64_MAX, (enum shim_mode)mode);
        assert_int_equal(shim_rules_off(&rules), mode == SHIM_MODE_OFF);
        assert_int_equal(shim_rules_promise(&rules), shim_mode_promises((enum shim_mode)mode));
    }
    const struct shim_rules mixed = rules_of("off:bcast,fast:reduce,exact");
    assert_true(shim_rules_promise(&mixed));
    assert_false(shim_rules_off(&mixed));
}

TEST(test_limits)
{
    static const struct {
        const char *text;
        int64_t least, most; /* that the rule takes */
    } rows[] = {{"exact:allreduce<=1k,fast", 0, 1024},
                {"exact:allreduce<1k,fast", 0, 1023},
                {"exact:allreduce>=1k,fast", 1024, INT64_MAX},
                {"exact:allreduce>1k,fast", 1025, INT64_MAX},
                {"exact:allreduce<=7,fast", 0, 7},
                {"exact:allreduce<2M,fast", 0, 2097151},
                {"exact:allreduce>3g,fast", INT64_C(3221225473), INT64_MAX},
                {"exact:allreduce<=9007199254740991k,fast", 0, INT64_C(9223372036854774784)},
                {"exact:allreduce<=9007199254740992k,fast", 0, INT64_MAX},
                {"exact:allreduce<=9000000000g,fast", 0, INT64_MAX},
                {"exact:allreduce,fast", 0, INT64_MAX}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct shim_rules rules = rules_of(rows[i].text);
        assert_int_equal(rules.count, 2);
        assert_true(rules.rule[0].collective >= 0);
        expect(&rules, rows[i].least, SHIM_MODE_EXACT);
        expect(&rules, rows[i].most, SHIM_MODE_EXACT);
        if (rows[i].least)
            expect(&rules, rows[i].least - 1, SHIM_MODE_FAST);
        if (rows[i].most < INT64_MAX)
            expect(&rules, rows[i].most + 1, SHIM_MODE_FAST);
        assert_int_equal(shim_rules_mode(&rules, rules.rule[0].collective + 1, rows[i].least),
                         SHIM_MODE_FAST);
    }
}

TEST(test_first_that_fits)
{
    const struct shim_rules rules = rules_of("off:allreduce<8,exact:allreduce<16,canonical:bcast");
    assert_int_equal(rules.count, 3);
    assert_false(shim_rules_off(&rules));
    expect(&rules, 7, SHIM_MODE_OFF);
    expect(&rules, 8, SHIM_MODE_EXACT);
    expect(&rules, 16, SHIM_MODE_OFF);
    assert_int_equal(shim_rules_mode(&rules, rules.rule[2].collective, 8), SHIM_MODE_CANONICAL);
}

TEST(test_refused)
{
    static const struct {
        const char *text, *reason;
    } rows[] = {{"", "'' is no mode"},
                {"quick", "'quick' is no mode; there are fast, ordered"},
                {"fas", "'fas' is no mode"},
                {"fast,", "'' is no mode"},
                {"fast:", "'' is no call"},
                {"fast:allreduc", "'allreduc' is no call"},
                {"fast:gather", "'gather' is no call"},
                {"fast:allreduce=1k", "'allreduce=1k' is no call"},
                {"fast:allreduce<", "'<' is no size"},
                {"fast:allreduce<=", "'<=' is no size"},
                {"fast:allreduce<-1", "'<-1' is no size"},
                {"fast:allreduce<1t", "'<1t' is no size"},
                {"fast:allreduce<1kk", "'<1kk' is no size"},
                {"fast:allreduce<1k>2", "'<1k>2' is no size"}};
    struct shim_rules rules;
    char complaint[256], many[8 * (SHIM_RULES_MOST + 1)] = "off";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(shim_rules_read(rows[i].text, &rules, complaint, sizeof complaint));
        assert_non_null(strstr(complaint, "SUMMAND_MODE: "));
        assert_non_null(strstr(complaint, rows[i].reason));
    }
    for (int i = 1; i < SHIM_RULES_MOST; i++)
        strcat(many, ",off");
    assert_true(shim_rules_read(many, &rules, complaint, sizeof complaint));
    assert_true(shim_rules_off(&rules));
    assert_false(shim_rules_read(strcat(many, ",off"), &rules, complaint, sizeof complaint));
    assert_non_null(strstr(complaint, "more than 16 rules"));
}
