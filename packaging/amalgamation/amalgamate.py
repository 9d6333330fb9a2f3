#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the exact accumulator as files that a project carries with it. Usage: amalgamate.py FOLDER [COMMIT]

summand_exact.c, .h: sums, dot products, norms. summand_exact_vector.c, .h: sums of many columns. Each pair stands alone.
The text is the library's, without the comments inside functions. What is internal becomes static. Where files share
a name, the later one gets its own. Kernels are compiled for each instruction set: macros add its name to theirs, and
the .c file includes the text that they share from itself. One commit gives the same bytes each time.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CORE = os.path.join(ROOT, "src/core")
PUBLIC = os.path.join(ROOT, "include")

# An instruction set: when it is compiled, and what its functions may use.
SETS = {
    "generic": (None, None),
    "avx2": ("defined(__x86_64__)", "avx2,fma,f16c"),
    "avx512": ("defined(__x86_64__)", "avx2,fma,f16c,avx512f,avx512dq,avx512bw,avx512vl"),
}
PAIRS = {
    "exact": {
        "headers": ["exact.h"],
        "files": "kernel/arch_processor.c +arch.c +prefetch.c exact/accumulator.c exact/scalar.c"
                 " exact/round.c exact/sqrt.c exact/pack.c exact/drive.c exact/hard.c exact/chunks.c exact/add.c"
                 " exact/small.c kernel/pass.c",
        "kernels": ["pass"],
        "extra": "mpi.h",
    },
    "exact_vector": {
        "headers": ["exact_vector.h"],
        "files": "kernel/arch_processor.c +arch.c kernel/lanes.c kernel/lanes_check.c kernel/rows.c"
                 " exact/block.c exact/vector.c",
        "kernels": ["lanes", "rows"],
        "extra": None,
    },
}
ONLY = {"lanes": ["generic"]}  # families of which one set is enough: the rows of the others do the work
STRICT = """/* Error-free transforms need arithmetic as IEEE 754 defines it, whatever the flags of the project say. */
#if defined(__clang__)
#pragma float_control(precise, on)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("no-fast-math", "fp-contract=off")
#else
#error "Summand needs GCC or clang, on a machine of 64 bits"
#endif
"""


def without_inner_comments(text):
    """Drops comments inside braces of functions, and empty lines there."""
    out, depth = [], 0
    for line in re.split(r"(?<=\n)", text):
        if line.startswith("{") or re.match(r"static .*\) \{$", line):
            depth = 1
        out.append((depth, line))
        if line.startswith("}"):
            depth = 0
    inner = re.compile(r"[ \t]*/\*.*?\*/", re.S)
    result, run = [], []
    for depth, line in out + [(None, "")]:
        if depth:
            run.append(line)
            continue
        if run:
            whole = re.sub(r"^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*\n", "", "".join(run), flags=re.S | re.M)
            result.append(re.sub(r"\n\s*\n", "\n", inner.sub("", whole)))
            run = []
        result.append(line)
    return "".join(result)


def body_of(path):
    """A file's text without its licence line and its guard."""
    text = open(path, encoding="utf-8").read()
    text = re.sub(r"^/\* SPDX.*\*/\n", "", text)
    text = re.sub(r"^#pragma once\n", "", text, flags=re.M)
    guard = re.match(r"(/\*.*?\*/\n)?#ifndef (\w+_H)\n#define \2\n", text, re.S)
    if guard:
        text = (guard.group(1) or "") + text[guard.end():].rstrip()[: -len("#endif")]
    return text.strip("\n") + "\n"


DECLARES = re.compile(r"^(?!static\b|typedef\b|__extension__ typedef\b|#|/|\s|\}|enum summand__\w+ \{|struct summand__\w+ \{)"
                      r"(?:extern )?((?:const |_Thread_local |_Atomic\(\w+\) |struct |enum |unsigned |[\w*]+ )+\**"
                      r"summand__\w+)(?=[\[(;, =])", re.M)


def made_static(text):
    return DECLARES.sub(lambda m: "static " + m.group(1), text)


def without_prototypes(text):
    """Drops the prototype of a function that is defined before it is used, with its comment, and of one that is not here."""
    prototype = re.compile(r"(?:^/\*(?:(?!\*/).)*\*/\n)?^static (?:(?!inline)[\w*]+ )+\**(summand__\w+)"
                           r"(?:\([^;{}]*\)|\[\w+\]|, \w+)?;(?: /\*[^\n]*\*/)?\n", re.S | re.M)

    def keep(match):
        rest = text[match.end():]
        first = re.search(r"(?<!enum )\b%s\b(?=[^ ]| [=|,])" % match.group(1), rest)
        definition = re.search(r"^static [^;{}=]*?\b%s(?:\([^;{}]*\)\n\{|\[\w+\] =| =)" % match.group(1), rest, re.M)
        comment = match.group(0)[:match.group(0).index("static ")]
        needed = first and not (definition and definition.start() <= first.start() < definition.end())
        return match.group(0) if needed else comment if "\n" in comment.strip() and first else ""
    return prototype.sub(keep, text)


def without_unused(text):
    """Drops internal functions that nothing calls, with their comments."""
    function = re.compile(r"(?:^/\*(?:(?!\*/).)*\*/\n)?^(?:static|LANES_INLINE) [^;{}=]*?\b((?:summand__|half_|lanes_)\w+)\([^;{}]*\)\n\{\n.*?^\}\n+", re.S | re.M)
    while True:
        shorter = function.sub(lambda m: "" if len(re.findall(r"(?<!struct )\b%s\b" % m.group(1), text)) == 1 else m.group(0), text)
        if shorter == text:
            return text
        text = shorter


LOCAL = [
    re.compile(r"^(?:static|INLINE|LANES_INLINE)\b[^;={}()]*?(?:__attribute__\(\(\w+\)\) [^;={}()]*?)?\b(\w+)\(", re.M),
    re.compile(r"^static [^;={}()]*?\b(\w+)(?:\[[^\]]*\])*(?: =|;)", re.M),
    re.compile(r"^struct (\w+) \{", re.M),
    re.compile(r"^typedef [^;]*?\b(\w+)(?: __attribute__.*)?;", re.M),
]


def local_names(text):
    """What a file defines for itself: functions, data, types and enumeration constants."""
    names = {n for pattern in LOCAL for n in pattern.findall(text)}
    for block in re.findall(r"^enum \{(.*?)\};", text, re.S | re.M):
        names |= set(re.findall(r"\b([A-Z][A-Z0-9_]*)\b(?=\s*(?:=|,|/|$))", re.sub(r"/\*.*?\*/", "", block, flags=re.S)))
    return {n for n in names if not n.startswith(("summand", "SUMMAND"))}


def renamed(text, name, other):
    """Every use of a name that is not the member of a structure."""
    return re.sub(r"(?<![\w.])(?<!->)\b%s\b" % name, other, text)


class File:
    def __init__(self, part):
        self.part, self.seen, self.system, self.lines = part, set(), set(), []
        self.names, self.macros = {}, {}

    def includes(self, text):
        """The text with the library's headers in place of their includes."""
        out = []
        depth = 0
        for line in text.split("\n"):
            depth += bool(re.match(r"#if", line)) - bool(re.match(r"#endif", line))
            own = re.match(r'#include (?:"(.*)"|<(summand/.*)>)', line)
            if own and own.group(2):
                continue
            if own and own.group(1).endswith("arch_rows.h"):
                line = self.rows()
            elif own:
                path = own.group(1)
                if path in self.seen or path in self.templates:
                    continue
                self.seen.add(path)
                line = self.includes(body_of(os.path.join(CORE, path))).rstrip("\n")
            elif re.match(r"extern const struct .*_neon;|extern const struct .*_ways\[|#include <([ix]mmintrin|cpuid).h>", line):
                continue
            elif re.match(r"#include <", line) and not depth:
                self.system.add(line.split(" /*")[0])
                continue
            out.append(line)
        return "\n".join(out)

    templates = ()

    def rows(self):
        self.seen.add("kernel/arch_rows.h")
        for family, sets in ONLY.items():
            lines = ["#define summand__%s_%s summand__%s_%s" % (family, s, family, sets[0]) for s in SETS if s not in sets]
            if family in PAIRS[self.part]["kernels"]:
                self.put("\n".join(lines))
        return "\n".join(
            ["#if defined(__x86_64__)",
             "#define SUMMAND__ARCH_ROWS(family) {[SUMMAND__GENERIC] = &summand__##family##_generic, \\",
             "    [SUMMAND__AVX2] = &summand__##family##_avx2, [SUMMAND__AVX512] = &summand__##family##_avx512}",
             "#else",
             "#define SUMMAND__ARCH_ROWS(family) {[SUMMAND__GENERIC] = &summand__##family##_generic, \\",
             "    [SUMMAND__NEON] = &summand__##family##_generic}",
             "#endif"])

    def add(self, path):
        self.put(self.macros_once(self.apart(self.includes(body_of(path)), os.path.basename(path)[:-2])))

    def apart(self, text, stem):
        """The text of a file with names that no file before has."""
        for name in sorted(local_names(text)):
            if self.names.setdefault(name, stem) != stem or name in self.macros:
                text = renamed(text, name, name + "_" + stem)
        return text

    def macros_once(self, text):
        """Undefines a macro before it is defined in another way."""
        out = []
        for line in text.split("\n"):
            macro = re.match(r"\s*#define (\w+)(.*)", line)
            if macro and self.macros.setdefault(macro.group(1), macro.group(2)) != macro.group(2):
                out.append("#undef " + macro.group(1))
                self.macros[macro.group(1)] = macro.group(2)
            out.append(line)
        return "\n".join(out)

    def put(self, text):
        self.lines.append(text.strip("\n") + "\n")


def kernel_files(family):
    sets = ONLY.get(family, list(SETS))
    files = {s: os.path.join(CORE, "kernel", "%s_%s.c" % (family, s)) for s in sets}
    templates = []
    for path in files.values():
        for name in re.findall(r'#include "(kernel/\w+\.inc\.h)"', open(path, encoding="utf-8").read()):
            if name not in templates:
                templates.append(name)
    return files, templates


def expanded(template):
    """A template with the templates that it includes."""
    text = body_of(os.path.join(CORE, template))
    return re.sub(r'#include "(kernel/\w+\.inc\.h)"\n', lambda m: expanded(m.group(1)), text)


def kernel_names(own, shared):
    """What a family's files define, also by macros that paste names."""
    everything = shared + "".join(own)
    names = local_names(everything)
    names |= {"%s_%s_%s" % (w, k, t) for w in set(re.findall(r"static \w+ (\w+)_##name##_##type", shared))
              for k in ("sum", "asum", "squares", "dot") for t in ("f64", "f32")}
    names |= {"%s_%s" % (w, t) for w in set(re.findall(r"static \w+ (\w+)_##(?:suffix|type)\(", everything))
              for t in ("f64", "f32", "f16", "bf16")}
    return names, {n for n in names if re.search(r"(?:\.|->)%s\b" % n, everything)}


def apart_from_members(text, names, family):
    """Gives functions that are called like the members of a structure a name of their own."""
    pieces = re.split(r"(^struct \w+ \{.*?^\};)", text, flags=re.S | re.M)
    for i in range(0, len(pieces), 2):
        for n in sorted(names):
            pieces[i] = renamed(pieces[i], n, n + "_" + family)
    return "".join(pieces)


def name_macros(out, names):
    """Macros that add the instruction set's name to each name, but those that are there already."""
    lines = [] if "SUMMAND__SET_NAME" in out.macros else [
        "/* A name of an instruction set's own. */", "#define SUMMAND__JOIN(name, set) name##_##set",
        "#define SUMMAND__JOINED(name, set) SUMMAND__JOIN(name, set)",
        "#define SUMMAND__SET_NAME(name) SUMMAND__JOINED(name, SUMMAND__SET)"]
    out.macros["SUMMAND__SET_NAME"] = ""
    lines += ["#define %s SUMMAND__SET_NAME(%s)" % (n, n) for n in sorted(names) if n not in out.macros]
    out.macros.update((n, "set") for n in names)
    return "\n".join(lines)


def kernel_set(part, name, text, number):
    """One instruction set's text, which includes the shared one from the file itself."""
    condition, target = SETS[name]
    lines = ["#if " + condition] if condition else []
    lines += ["#undef SUMMAND__SET"] * bool(target) + ["#define SUMMAND__SET " + name]
    if target:
        lines += ["#if defined(__clang__)",
                  '#pragma clang attribute push(__attribute__((target("%s"))), apply_to = function)' % target,
                  "#else", "#pragma GCC push_options", '#pragma GCC target("%s")' % target, "#endif"]
    lines += [text.strip("\n"), "#define SUMMAND__PART %d" % number, '#include "summand_%s.c"' % part,
              "#undef SUMMAND__PART"]
    if target:
        lines += ["#if defined(__clang__)", "#pragma clang attribute pop", "#else", "#pragma GCC pop_options", "#endif"]
    return "\n".join(lines + (["#endif"] if condition else []))


def add_kernels(out, families):
    """Writes the kernels of each set; returns the texts that they share, by number."""
    shared = []
    for family in families:
        files, templates = kernel_files(family)
        text = "".join(expanded(t) for t in templates)
        own = {name: body_of(path) for name, path in files.items()}
        names, members = kernel_names(own.values(), text)
        text = out.includes(apart_from_members(text, members, family))
        if len(files) > 1:
            shared.append(text)
            out.put(name_macros(out, {n + "_" + family if n in members else n for n in names}))
        for name, body in own.items():
            body = out.macros_once(out.includes(apart_from_members(body, members, family)))
            out.put(kernel_set(out.part, name, body, len(shared)) if len(files) > 1 else
                    out.apart(out.macros_once(text) + body, family))
    return shared


def head(part, commit):
    text = open(os.path.join(HERE, part + ".txt"), encoding="utf-8").read()
    text = text.replace("VERSION", version()).replace("FROM", commit)
    return "/* SPDX-License-Identifier: BSD-3-Clause */\n/* " + text.strip().replace("\n", "\n * ").replace(" * \n", " *\n") + " */\n"


def version():
    text = open(os.path.join(PUBLIC, "summand/version.h"), encoding="utf-8").read()
    return ".".join(re.search(r"_%s (\d+)" % n, text).group(1) for n in ("MAJOR", "MINOR", "PATCH"))


def header(part, spec, commit):
    guard = "SUMMAND_%s_AMALGAMATION_H" % part.upper()
    text = head(part, commit) + "#ifndef %s\n#define %s\n" % (guard, guard)
    for name in spec["headers"]:
        text += re.sub(r"#include <summand/.*\n", "", body_of(os.path.join(PUBLIC, "summand", name)))
    text = text.replace("SUMMAND_API ", "")
    if spec["extra"]:
        text += body_of(os.path.join(HERE, spec["extra"]))
    licence = open(os.path.join(ROOT, "LICENSE"), encoding="utf-8").read().strip()
    return text + "#endif\n\n/* " + re.sub(r"[ \t]+\n", "\n", licence.replace("\n", "\n * ")) + " */\n"


def source(part, spec, commit):
    out = File(part)
    out.templates = {t for f in spec["kernels"] for t in kernel_files(f)[1]}
    for name in spec["files"].split():
        out.add(os.path.join(HERE, name[1:]) if name[0] == "+" else os.path.join(CORE, name))
    shared = add_kernels(out, spec["kernels"])
    text = ("/* SPDX-License-Identifier: BSD-3-Clause; what this is: summand_%s.h. Made from %s; do not edit. */\n"
            "#if !defined(SUMMAND__PART)\n" % (part, commit)) + STRICT
    text += "\n".join(sorted(out.system)) + "\n#if defined(__x86_64__)\n#include <cpuid.h>\n#include <immintrin.h>\n#endif\n\n"
    text += '#include "summand_%s.h"\n' % part + "\n".join(out.lines)
    for number, body in enumerate(shared):
        text = text.rstrip() + "\n#elif SUMMAND__PART == %d\n%s" % (number + 1, body)
    text = made_static(text + "\n#endif\n")
    for step in (without_inner_comments, without_prototypes, without_unused):
        text = step(text)
    return re.sub(r"\n{3,}", "\n\n", text)


def main():
    folder, commit = sys.argv[1], (sys.argv[2:] or ["a working tree"])[0]
    os.makedirs(folder, exist_ok=True)
    for part, spec in PAIRS.items():
        for suffix, text in ((".h", header(part, spec, commit)), (".c", source(part, spec, commit))):
            with open(os.path.join(folder, "summand_" + part + suffix), "w", encoding="utf-8") as file:
                file.write(text)
            print("%6d lines  %s" % (text.count("\n"), "summand_" + part + suffix))


if __name__ == "__main__":
    main()
