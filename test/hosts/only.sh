#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# only.sh HOST NAME=VALUE COMMAND...: the variable is set on one host of run.sh.
[ "$(uname -n)" != "$1" ] || export "${2?}"
shift 2
exec "$@"
