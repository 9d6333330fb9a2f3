# SPDX-License-Identifier: BSD-3-Clause
"""Every option of a command line in a page is one of that command: page_options.py TABLE... PAGE...

A TABLE is what `summand help --json` or `summand-study help --json` prints (NAME.json, NAME the command). Prints the lines
that are wrong and, at the end, how many options it has looked at. `predict train` is not in the table."""
import json
import re
import sys

tables = {}
for path in [word for word in sys.argv[1:] if word.endswith(".json")]:
    commands = json.load(open(path))["commands"]
    tables[path.split("/")[-1][:-5]] = {
        command["name"]: {"help", "json"} | {option["name"] for option in command["options"]} for command in commands
    }
seen = 0
for page in [word for word in sys.argv[1:] if word.endswith(".md")]:
    text = re.sub(r"\\\n", " ", open(page, encoding="utf-8").read())
    for line in text.split("\n"):
        for program, rest in re.findall(r"(?<![\w.-])(?:[\w.]+/)*(summand(?:-study)?) ([a-z][^`|#;>]*)", line):
            words = rest.split(" -- ")[0].split("'")[::2]  # without quoted words, which may be other programs
            words = " ".join(words).split()
            if words[:2] == ["predict", "train"]:
                continue
            options = tables[program].get(words[0]) or tables[program].get(" ".join(words[:2]))
            if options is None:
                if re.match(r"    \S|\$ ", line) and words[0] not in ("help", "version") and words[0][-1] != ":":
                    print(f"{page}: no option or command of {program}: {line.strip()}")
                continue  # a sentence
            for option in [word for word in words if re.match("--[a-z]", word)]:
                seen += 1
                if re.match("--([a-z-]+)", option).group(1).rstrip("-") not in options:
                    print(f"{page}: no option {option} of {program} {words[0]}: {line.strip()}")
print(seen)
