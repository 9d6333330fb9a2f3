# SPDX-License-Identifier: BSD-3-Clause
# docs/results/data/scale_train.csv: efficiencies that `bench/scale_train.sh` simulated and estimated.
#     train_scale.sh table
#     train_scale.sh plot -o FILE        up to 48 ranks: larger clusters have another network and fewer batches
data=docs/results/data/scale_train.csv
if [ "$1" = table ]; then
    awk -F, 'NR > 1 { if (!($1 in seen)) { seen[$1]; mode[++modes] = $1 }
                      if (!($2 in seen)) { seen[$2]; ranks[++rows] = $2 }
                      cell[$1, $2] = sprintf("%s (%s%s) | %s", $5, $3, $4 == "" ? "" : ", " $4, $6)
                      if ($4 != "") of[$1] = ", pieces of each" }
             END { head = "| ranks |"; line = "|---|"
                   for (m = 1; m <= modes; m++) { head = head " `" mode[m] "` (batches" of[mode[m]] ") | estimated |"; line = line "---|---|" }
                   print head "\n" line
                   for (r = 1; r <= rows; r++) {
                       row = "| " ranks[r] " |"
                       for (m = 1; m <= modes; m++) row = row " " cell[mode[m], ranks[r]] " |"
                       print row } }' $data
    exit
fi
work=$(mktemp)
trap 'rm -f "$work"' EXIT
awk -F, 'NR > 1 && $2 <= 48 { if (!($1 in seen)) { seen[$1]; mode[++modes] = $1 }
                              if (!($2 in seen)) { seen[$2]; ranks[++rows] = $2 }
                              got[$1, $2] = $5; told[$1, $2] = $6 }
         END { printf "ranks"
               for (m = 1; m <= modes; m++) printf ",%s,%s-estimated", mode[m], mode[m]
               for (r = 1; r <= rows; r++) {
                   printf "\n%s", ranks[r]
                   for (m = 1; m <= modes; m++) printf ",%s,%s", got[mode[m], ranks[r]], told[mode[m], ranks[r]] }
               print "" }' $data >"$work"
summand-study plot --linear --title 'Pipelines of layers of 4096, simulated' --x-label ranks --y-label efficiency "$2" "$3" "$work"
