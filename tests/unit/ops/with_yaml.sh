#!/usr/bin/env bash
# with_yaml.sh - runs a script in a Python that has PyYAML; 77 if there is none.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
#   with_yaml.sh BUILD [--torch] SCRIPT [ARGUMENT...]
#                     --torch: with torch and Triton too
set -u
build=$1
shift
modules=yaml
more=(${NEREID_FLAGGEMS:+"$NEREID_FLAGGEMS"})
if [ "$1" = --torch ]; then
  modules=yaml,torch,triton
  more=()
  shift
fi
for python in python3 /usr/bin/python3 "$build"/venv-*/bin/python; do
  if "$python" -c "import $modules" 2>/dev/null; then
    exec "$python" "$@" ${more[@]:+"${more[@]}"}
  fi
done
echo "skipped: no Python with $modules; scripts/python-env makes one"
exit 77
