# SPDX-License-Identifier: BSD-3-Clause
# A page of Markdown, with what its commands print now. Three kinds of places name a command, which runs in a shell:
#
#   ```console              in such a block the lines after "$ COMMAND" are its output, up to the next "$ " or the end
#
#   <!-- printed by: COMMAND -->
#   a table, or anything    on lines of their own: the lines in between
#   <!-- end -->
#
#   so <!-- printed by: COMMAND -->12<!-- end --> ranks     within a line: one line of output. GitHub takes such a comment
#                           for text if it has two hyphens in a row, and the line for HTML if it begins with a comment; a
#                           table ends a cell at a bar
#
# Under a figure, <!-- drawn by make docs: COMMAND --> runs the command with "-o FILE"; FILE goes to the folder `to`.
#
# Usage: awk -v to=FOLDER -f places.awk PAGE >NEW. Stderr has a line "PAGE:LINE: COMMAND" for each place that was
# otherwise. The status is 1 if a command fails or a place has no end.
function fault(what)
{
    print FILENAME ":" FNR ": " what >"/dev/stderr"
    faults++
    exit 1
}

# Output of the command in printed[1..count].
function execute(command,    line, shell)
{
    count = 0
    shell = "{ " command "\n}; echo \"status $?\""
    while ((shell | getline line) > 0)
        printed[++count] = line
    close(shell)
    if (printed[count] != "status 0")
        fault("'" command "' ends with " printed[count])
    count--
}

function begin(command)
{
    if (open != "")
        fault("no <!-- end --> since '" open "'")
    open = command
    place = FNR
    old = ""
    execute(command)
    new = ""
    for (i = 1; i <= count; i++)
        new = new printed[i] "\n"
}

function finish()
{
    if (open == "")
        return
    printf "%s", new
    if (old != new)
        print FILENAME ":" place ": " open >"/dev/stderr"
    open = ""
}

# Places within a line.
function within(line,    done, rest, command)
{
    while (match(line, /<!-- printed by: [^>]* -->/)) {
        command = substr(line, RSTART + 17, RLENGTH - 21)
        if (command ~ /--|\|/)
            fault("'" command "' has '--' or '|' within a line")
        if (done == "" && RSTART == 1)
            fault("'" command "' begins the line")
        done = done substr(line, 1, RSTART + RLENGTH - 1)
        rest = substr(line, RSTART + RLENGTH)
        if (!(i = index(rest, "<!-- end -->")))
            fault("no <!-- end --> of '" command "' in its line")
        execute(command)
        if (count != 1)
            fault("'" command "' prints " count " lines")
        if (printed[1] != substr(rest, 1, i - 1))
            print FILENAME ":" FNR ": " command >"/dev/stderr"
        done = done printed[1] "<!-- end -->"
        line = substr(rest, i + 12)
    }
    return done line
}

/^```console$/ { console = 1; print; next }
console && /^(\$ |```$)/ {
    finish()
    print
    if (/^```/)
        console = 0
    else
        begin(substr($0, 3))
    next
}
/^<!-- printed by: .* -->$/ && !/<!-- end -->/ { print; begin(substr($0, 18, length($0) - 21)); next }
/^<!-- end -->$/ { finish(); print; next }
open != "" { old = old $0 "\n"; next }
/^<!-- drawn by make docs: .* -->$/ {
    name = before
    sub(/.*\]\(/, "", name)
    sub(/\).*/, "", name)
    sub(/.*\//, "", name)
    execute(substr($0, 26, length($0) - 29) " -o " to "/" name " >" to "/log")
}
{ before = $0; print within($0) }
END {
    if (!faults && open != "")
        fault("no <!-- end --> of '" open "'")
}
