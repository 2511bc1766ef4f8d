# complete.bash - what bash offers for an unfinished line: complete.bash LINE
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC1090
source <(nereid completion bash)
# Outside of a real completion bash refuses this one.
compopt() { :; }
COMP_LINE=$1
COMP_POINT=${#1}
_nereid
printf '<%s>\n' "${COMPREPLY[@]}"
