# SPDX-License-Identifier: BSD-3-Clause
# Times of products over two groups, predicted and simulated, of docs/results/data/gemm.csv, in ms.
awk -F, '
    function ms(x,    ten) {
        for (ten = 1; 1e3 * x >= 1000 * ten; ten *= 10);
        x = 1e3 * x / ten
        return ten > 1 ? sprintf("%.0f", x) * ten : sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x)
    }
    function cell(algorithm, key,    text) {
        text = ms(predicted[algorithm, key])
        if ((algorithm, key) in simulated) text = text " (" ms(simulated[algorithm, key]) ")"
        return text
    }
    NR == 1 { next }
    { key = $2 " | " $3 }
    $NF == "predicted" { predicted[$1, key] = $5; block[$1, key] = $4; next }
    !(($1, key) in simulated) || $5 < simulated[$1, key] { simulated[$1, key] = $5 }
    END {
        print "| ranks | n | gemm-panels | gemm-pairs | b | gemm-pairs-rows | b |"
        print "|---|---|---|---|---|---|---|"
        count = split("2 | 1024;8 | 1024;8 | 4096;32 | 1024;32 | 4096;128 | 1024;128 | 4096;128 | 32768;512 | 1024;512 | 4096;512 | 32768", keys, ";")
        for (i = 1; i <= count; i++)
            print "| " keys[i] " | " cell("gemm-panels", keys[i]) " | " cell("gemm-pairs", keys[i]) " | " block["gemm-pairs", keys[i]] " | " cell("gemm-pairs-rows", keys[i]) " | " block["gemm-pairs-rows", keys[i]] " |"
    }' docs/results/data/gemm.csv
