#!/usr/bin/env bash
# with_yaml.sh - runs a script in a Python that has PyYAML; 77 if there is none.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
#   with_yaml.sh BUILD [--jsonschema | --torch] SCRIPT [ARGUMENT...]
#                     --jsonschema: with that module too, of version 4 or later
#                     --torch: with torch and Triton too
set -u
build=$1
shift
modules=yaml
probe="import yaml"
source="scripts/python-env makes one"
more=(${NEREID_FLAGGEMS:+"$NEREID_FLAGGEMS"})
case $1 in
--jsonschema)
  modules=yaml,jsonschema
  probe="import yaml; from jsonschema import Draft202012Validator"
  source="install python3-yaml and python3-jsonschema"
  shift
  ;;
--torch)
  modules=yaml,torch,triton
  probe="import yaml, torch, triton"
  more=()
  shift
  ;;
esac
for python in python3 /usr/bin/python3 "$build"/venv-*/bin/python; do
  if "$python" -c "$probe" 2>/dev/null; then
    exec "$python" "$@" ${more[@]:+"${more[@]}"}
  fi
done
echo "skipped: no Python with $modules; $source"
exit 77
