# SPDX-License-Identifier: BSD-3-Clause
# What `summand sum` says of files that it cannot read.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export EXPECT_FAILURE=yes
printf 'name,price,qty\nnut,1,2\nbolt,2,2\nscrew,3,2\ntack,4,2\npin,5,2\nrivet,n/a,2\n' >t.csv
python3 -c 'import zipfile
def npy(): return b"\x93NUMPY\x01\x00\x76\x00" + b"{\x27descr\x27: \x27<f8\x27, \x27fortran_order\x27: False, \x27shape\x27: (1,), }".ljust(117) + b"\n" + bytes(8)
with zipfile.ZipFile("r.npz", "w") as archive:
    for name in "energy", "force": archive.writestr(name + ".npy", npy())' || exit 1
printf '\001\002\003\004\005\006\007\010' >x.bin
refused() { ! summand sum "$@" 2>&1 || exit 1; }
{
    refused t.csv
    refused --column price t.csv
    refused r.npz
    refused x.bin
} | sed 's/^/    /'
