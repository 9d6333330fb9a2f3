# SPDX-License-Identifier: BSD-3-Clause
# Draws the rows of bench/scale_gemm.sh as an SVG: time, speedup, strong and weak efficiency over ranks, as in
# Schmidtobreick (2017), figures 5.7 to 5.10, both axes logarithmic. Solid: gemm-panels; dashed: gemm-pairs. A row whose result
# is `predicted` has a hollow mark.
BEGIN { FS = ","; W = 388; H = 300; split("#0072b2 #d55e00 #009e73 #8a4fbf #b8860b #c00000 #cc79a7", color, " ")
    # Colours of a light page, and what each is on a dark one (cli/plot/svg_style.c).
    split("#222 #555 #e4e4e4 #b4b4b4 #fff #0072b2 #d55e00 #009e73 #8a4fbf #b8860b #c00000 #cc79a7", light, " ")
    split("#e6e6e6 #a8a8a8 #383838 #5c5c5c #0d1117 #3f8cff #ff8c42 #2cc295 #b58be0 #e0b040 #ff6b6b #e59cc6", dark, " ")
}
/^gemm-/ {
    key = $1 SUBSEP $2 SUBSEP $3
    if (!(key in time) || $9 != "predicted") { time[key] = $5; how[key] = $9 }
    algorithm[$1]; ranks[$2]; size[$3]
}
function log2(x) { return log(x) / log(2) }
function sorted(set, list,    i, j, n, x) {
    n = 0
    for (x in set) list[++n] = x + 0
    for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j - 1] > list[j]; j--) { x = list[j]; list[j] = list[j - 1]; list[j - 1] = x }
    return n
}
function x_of(p) { return left + 50 + (log2(p) - log2(rank[1])) * (W - 74) / (log2(rank[nr]) - log2(rank[1]) + (nr == 1)) }
function y_of(v) { return top + H - 40 - (log(v) - log(low)) * (H - 76) / (log(high) - log(low)) }
function text(x, y, anchor, colour, words) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, y, anchor, colour, words
}
function axes(number, title, base,    i, v, first) {
    if (high <= low) high = base * low # one rank count
    left = number % 2 * (W + 12); top = int(number / 2) * H + 30
    printf "<text x=\"%d\" y=\"%d\" font-weight=\"bold\" fill=\"#222\">%s</text>\n", left + 8, top + 16, title
    for (i = 1; i <= nr; i++) {
        printf "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#e4e4e4\"/>\n", x_of(rank[i]), y_of(low), y_of(high)
        text(x_of(rank[i]), top + H - 24, "middle", "#222", rank[i])
    }
    text(left + W / 2 + 10, top + H - 8, "middle", "#555", "ranks")
    for (v = low; v <= high * 1.001; v *= base) {
        printf "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#e4e4e4\"/>\n", x_of(rank[1]), y_of(v), x_of(rank[nr])
        text(left + 45, y_of(v) + 4, "end", "#222", sprintf("%.3g", v))
    }
}
# Marks of value[], by rank, for one line.
function curve(colour, dashes,    i, path, marks) {
    path = marks = ""
    for (i = 1; i <= nr; i++) {
        if (!(rank[i] in value)) continue
        path = path (path == "" ? "M" : "L") sprintf("%.1f %.1f", x_of(rank[i]), y_of(value[rank[i]]))
        marks = marks sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" stroke=\"%s\" fill=\"%s\"/>\n", x_of(rank[i]),
            y_of(value[rank[i]]), colour, mark[rank[i]] == "predicted" ? "#fff" : colour)
    }
    if (path != "") printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s/>\n%s", path, colour, dashes, marks
}
function dashes_of(a) { return a == "gemm-pairs" ? " stroke-dasharray=\"5 3\"" : "" }
# what: 0 time, 1 speedup, 2 strong efficiency
function strong(what,    a, s, i, key, base) {
    for (a in algorithm) for (s = 1; s <= ns; s++) {
        split("", value)
        base = (a, rank[1], sizes[s]) in time ? time[a, rank[1], sizes[s]] : 0
        for (i = 1; i <= nr; i++) if ((a, rank[i], sizes[s]) in time && (what == 0 || base)) {
            key = a SUBSEP rank[i] SUBSEP sizes[s]
            value[rank[i]] = what == 0 ? time[key] : base / time[key] * (what == 2 ? rank[1] / rank[i] : 1)
            mark[rank[i]] = how[key]
        }
        curve(color[(s - 1) % 7 + 1], dashes_of(a))
    }
}
# As many elements on each rank: n grows with the root of the ranks, operations of a rank with n.
function weak(    a, s, i, n, key, base) {
    for (a in algorithm) for (s = 1; s <= ns; s++) {
        split("", value)
        if (!((a, rank[1], sizes[s]) in time)) continue
        base = (a, rank[1], sizes[s]) in time ? time[a, rank[1], sizes[s]] : 0
        for (i = 1; i <= nr; i++) {
            n = sizes[s] * sqrt(rank[i] / rank[1])
            key = a SUBSEP rank[i] SUBSEP n
            if (!(key in time)) continue
            value[rank[i]] = base * (n / sizes[s]) / time[key]
            mark[rank[i]] = how[key]
        }
        curve(color[(s - 1) % 7 + 1], dashes_of(a))
    }
}
END {
    nr = sorted(ranks, rank); ns = sorted(size, sizes)
    if (!nr) exit 1
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title\" width=\"800\" height=\"%d\" viewBox=\"0 0 800 %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n", 2 * H + 60, 2 * H + 60
    print "<title id=\"title\">products of matrices on a simulated cluster: strong and weak scaling</title>"
    print "<style>svg{color-scheme:light dark}\n@media (prefers-color-scheme:dark){"
    for (i = 1; i in light; i++)
        printf "[fill=\"%s\"]{fill:%s}[stroke=\"%s\"]{stroke:%s}\n", light[i], dark[i], light[i], dark[i]
    print "}</style>"
    print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    x = 8
    for (s = 1; s <= ns; s++) {
        printf "<path d=\"M%d 16h16\" stroke=\"%s\" stroke-width=\"3\"/>\n", x, color[(s - 1) % 7 + 1]
        text(x + 20, 20, "start", "#222", "n = " sizes[s]); x += 92
    }
    low = 1e30; high = 0
    for (key in time) { if (time[key] < low) low = time[key]; if (time[key] > high) high = time[key] }
    low = 10 ^ int(log(low) / log(10) - 1); high = 10 ^ (int(log(high) / log(10) + 100) - 99)
    axes(0, "time, s", 10); strong(0)
    low = 1; high = rank[nr] / rank[1]
    for (key in time) { split(key, part, SUBSEP); if ((part[1], rank[1], part[3]) in time) { v = time[part[1], rank[1], part[3]] / time[key]; if (v < low) low = v; if (v > high) high = v } }
    if (low < 1) low = low > 0.25 ? 0.25 : 0.0625
    axes(1, "speedup over " rank[1] " ranks", 4); strong(1)
    split("", value); for (i = 1; i <= nr; i++) { value[rank[i]] = rank[i] / rank[1]; mark[rank[i]] = "ideal" }
    curve("#b4b4b4", " stroke-dasharray=\"1 3\"")
    low = 1 / 16; high = 2
    axes(2, "strong efficiency, of " rank[1] " ranks", 2); strong(2)
    axes(3, "weak efficiency: n grows with the root of the ranks", 2); weak()
    text(8, 2 * H + 52, "start", "#555", "solid: gemm-panels; dashed: gemm-pairs; filled marks: the library under SimGrid; hollow marks: summand predict")
    print "</svg>"
}
