# SPDX-License-Identifier: BSD-3-Clause
"""Command lines whose last word a shell completes, with what it must offer, from `help --json`; and the check of what it
offered. Usage: completion.py questions PROGRAM TABLE; completion.py check PROGRAM TABLE OFFERED SHELL"""
import json
import sys


def questions(program, commands):
    """(line, words to be offered, also other ones allowed) of all commands, options and choices."""
    names = [command["name"].split() for command in commands]
    yield f"{program} ", {name[0] for name in names} | {"--help", "--version"}
    yield f"{program} help ", {name[0] for name in names}
    for family in sorted({name[0] for name in names if len(name) > 1}):
        yield f"{program} {family} ", {name[1] for name in names if name[0] == family and len(name) > 1}
    for command in commands:
        line = f"{program} {command['name']} "
        options = {"--" + option["name"] for option in command["options"]} | {"--help"}
        yield line + "--", options
        yield line + "x --h", {option for option in options if option.startswith("--h")}
        for option in command["options"]:
            if option["choices"]:
                yield f"{line}--{option['name']} ", set(option["choices"])
                yield f"{line}--{option['name']}=", set(option["choices"])
                if option["letter"]:
                    yield f"{line}-{option['letter']} ", set(option["choices"])


def word(offer, line, shell):
    """What the shell offers, without what is on the line already."""
    offer = offer.rstrip("= ")
    if line.endswith("=") and offer.startswith("--"):
        offer = offer.split("=", 1)[1]
    return offer


def main():
    what, program, table = sys.argv[1:4]
    with open(table) as file:
        commands = json.load(file)["commands"]
    asked = list(questions(program, commands))
    if what == "questions":
        print("\n".join(line for line, _ in asked))
        return 0
    with open(sys.argv[4]) as file:
        answers = file.read().split("\n")
    shell, wrong, at = sys.argv[5], 0, 0
    for line, expected in asked:
        offered = set()
        while at < len(answers) and answers[at]:
            offered.add(word(answers[at], line, shell))
            at += 1
        at += 1
        if offered != expected:
            wrong += 1
            print(f"{shell}: '{line}': offered and not in the table: {sorted(offered - expected)}; "
                  f"not offered: {sorted(expected - offered)}", file=sys.stderr)
    print(f"{shell}: {len(asked)} lines of {program}, {wrong} wrong")
    return wrong > 0


sys.exit(main())
