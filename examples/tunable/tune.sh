#!/usr/bin/env bash
# Tunes softmax_table as two machines would, each a type in a store of its own, merges
# the stores, and runs the program on the result.
#
#   tune.sh PROGRAM [TARGET [SECONDS [ELEMENTS]]]
#
# What it writes is in ./tuned. `nereid` has to be in PATH, and for kernels a Python
# with Triton: NEREID_TRITON_PYTHON, else python3.
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

if [ $# -lt 1 ] || [ $# -gt 4 ]; then
  sed -n '2,8s/^# \{0,1\}//p' "$0"
  exit 2
fi
program=$1 target=${2:-cpu} seconds=${3:-60} elements=${4:-1048576}
pack=$(cd "$(dirname "$0")" && pwd)/pack
export NEREID_PACK_DIRS=$pack
mkdir -p tuned

# calls TYPE: a call in each line, as `nereid tune run --tasks` reads them.
calls() {
  local columns
  for columns in 1024 2048 4096 8192 16384; do
    printf '{"operator": "softmax_table", "inputs": {"x": {"shape": [%d, %d], "dtype": "%s"}}}\n' \
      $((elements / columns)) "$columns" "$1"
  done
}

for type in f16 f32; do
  calls "$type" >"tuned/$type.jsonl"
  nereid tune run --tasks "tuned/$type.jsonl" --target "$target" \
    --budget "$((seconds / 2))s" --store "tuned/$type.db"
done

nereid tune merge tuned/f16.db tuned/f32.db --store tuned/all.db
nereid tune report --store tuned/all.db -o tuned/report.html
export NEREID_TUNED=$PWD/tuned/all.db
"$program" "$pack" --device "$target" --elements "$elements" --exhaustive
