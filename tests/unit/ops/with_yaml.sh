#!/usr/bin/env bash
# with_yaml.sh - runs a script in a Python that has PyYAML; 77 if there is none.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
#   with_yaml.sh BUILD SCRIPT [ARGUMENT...]
set -u
build=$1
shift
for python in python3 /usr/bin/python3 "$build"/venv-*/bin/python; do
  if "$python" -c 'import yaml' 2>/dev/null; then
    exec "$python" "$@" ${NEREID_FLAGGEMS:+"$NEREID_FLAGGEMS"}
  fi
done
echo "skipped: no Python with PyYAML; scripts/python-env makes one"
exit 77
