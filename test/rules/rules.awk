# SPDX-License-Identifier: BSD-3-Clause
# What the lines of single files must keep: awk -v heights=LIST -f rules.awk FILE... (rules.sh). Prints each line
# that breaks a rule, and which rule; fails if there is one.

BEGIN {
    of_layers = split(heights, words, /[ \n]+/)
    for (i = 1; i <= of_layers; i++)
        if (words[i] ~ /^[0-9]+:$/) height_now = words[i] + 0
        else if (words[i] != "") height[words[i]] = height_now
    # What knows an MPI, but the folders that are called mpi.
    needs_mpi = "#include <(summand/)?mpi.h>|#include \"(process|wait|learn|fabric|comm|op|transport|plan|ordered|sum|collective|notify|[a-z]*/mpi)/"
    pure = "^(base|shape|kernel|calibrate|exact|schedule|model|algorithm|select|exec)$"
}

FNR == 1 {
    close_file()
    licence = 0
    file = FILENAME
    sub(/^\.\//, "", file)
    split(file, folder, "/")
    # A layer is a folder of src/core, of src or of apps.
    in_src = folder[1] == "src" || folder[1] == "apps"
    in_core = folder[1] == "src" && folder[2] == "core"
    layer = in_core ? folder[3] : folder[2]
    known = in_src && layer in height
    if (in_src && !known) fail("layer " layer " has no height in test/rules/rules.sh")
    layer_is_pure = layer ~ pure
    # State machines and simulators know no MPI; what runs them over MPI has a folder of its own.
    is_machine = layer ~ /^(compute|gossip|matrix|network|outer|train|tables)$/ && folder[3] != "mpi"
    in_lab = folder[1] == "lab"
    over_mpi = file ~ /\/mpi\//
    builds_json = (folder[1] == "cli" || folder[1] == "bench") && file !~ /^cli\/output\/json\.[ch]$/
}

{ last = FNR }
FNR <= 3 && /SPDX-License-Identifier/ { licence = 1 }

# Other forms would hide an arrow: a macro, "../", <LAYER/FILE>, a blank behind the #.
known && /^[ \t]*#[ \t]*include/ {
    target = $0
    sub(/^#include </, "", target)
    sub(/[\/.].*/, "", target)
    if ($0 !~ /^#include (<[A-Za-z0-9_\/.-]+>|"[a-z0-9_]+\/[a-z0-9_\/.]*")/ || /\.\./ || target in height)
        fail_here("write #include \"LAYER/FILE\" or <FILE>")
}
known && /^#include "[a-z0-9_]*\// {
    target = $0
    sub(/^#include "/, "", target)
    sub(/\/.*/, "", target)
    if (!(target in height)) fail("includes unknown layer " target)
    else if (target != layer && height[target] >= height[layer]) fail("includes \"" target "/...\": the arrow runs up")
}
known && /#include/ {
    if (layer_is_pure && /#include <mpi.h>|#include <summand\/(mpi|sum|error|ordered).h>/)
        fail_here("layer " layer " must not know MPI")
    if (is_machine && $0 ~ needs_mpi)
        fail_here("what is not in a folder mpi must not know MPI")
    # An application stands on schedules, plans and capabilities.
    if (layer == "train" && /#include "(process|wait|learn|fabric|comm|op|transport|exec|select|calibrate|collective|sum|ordered|tables)\//)
        fail_here("an application includes schedules, plans and capabilities, not what is below or beside them")
    # The executor sees the transports' common header alone.
    if ((layer == "exec" || layer == "schedule") && /#include "transport\// &&
        !(file ~ /exec\/[a-z]*\.h$/ && /transport\/transport.h/))
        fail_here("only the executor sees a transport")
}
# One file speaks, and one asks for the rank of the one who may. printf(3) into strings is free.
known && /std(err|out)|printf|puts|perror/ && file != "src/core/base/warning.c" &&
    /(^|[^A-Za-z0-9_])(stderr|stdout|printf|puts|perror)([^A-Za-z0-9_]|$)/ &&
    !/^ \*|: \*|\/\*|"[^"]*stderr|format\(printf/ {
    fail_here("the library prints nothing but the warnings of base/warning.c")
}
# GASPI's processes are those of the world.
known && /[(, ]MPI_COMM_WORLD[),;]/ && !/^[ \/]\*/ && file !~ /^src\/(core\/process\/world_root|plugins\/gpi2\/gpi2_start)\.c$/ {
    fail_here("MPI_COMM_WORLD is the program's, not the library's")
}
# What the MPI may call back must stay in memory.
known && /MPI_(Op_create|[A-Za-z]*_create_(keyval|errhandler)|Grequest_start|Register_datarep)([^A-Za-z0-9_]|$)/ &&
    !/^[ \/]\*/ && file != "src/core/process/callbacks.c" {
    fail_here("process/callbacks.c gives the MPI functions to call back")
}

# Public headers keep guards: users may reach one by two paths.
/^#ifndef [A-Z0-9_]*_H$/ && file ~ /\.h$/ && folder[1] != "include" { fail_here("headers say #pragma once") }

# What proves and simulates knows nothing of the command, and no MPI but in folders called mpi.
in_lab && /#include/ {
    if (/#include "cli\//) fail_here("lab must not know the command")
    if (!over_mpi && ($0 ~ needs_mpi || /#include "lab\/.*\/mpi\//))
        fail_here("lab must not know MPI")
}

# jansson's own calls return NULL for text that is no UTF-8 and numbers that are not finite, and leave out NULL.
builds_json && /json_(pack|string|real)\(/ {
    fail_here("the command builds JSON by json_make, json_text and json_finite (cli/output/json.h)")
}

# In this layout a function's body is between a '{' and a '}' at the beginning of a line.
/^\{/ { start = FNR }
/^\}/ {
    if (start) too_long("function", start, FNR - start + 1)
    start = 0
}
/\\$/ { if (!run) run = FNR }
!/\\$/ {
    if (run) too_long("macro", run, FNR - run + 1)
    run = 0
}

END {
    close_file()
    exit bad
}

function fail(why) {
    print "rules: " file ": " why
    bad = 1
}
function fail_here(why) {
    print file ":" FNR ":" $0
    fail(why)
}
function too_long(what, line, lines) {
    if (lines > 80) fail(line ": " what " of " lines " lines (80 at most)")
}
function close_file() {
    if (last - licence > 500) fail("has " last - licence " lines (500 at most)")
    start = run = last = 0
}
