# What scripts share: packages of a fresh machine, and the build in build/.
# Sourced, not run. Works on Debian 12 and 13.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# What the build needs; tests need the second list too.
build_packages=(
  ccache clang-19 cmake git libcli11-dev libdw-dev liblld-19-dev libmlir-19-dev
  libpq-dev libsqlite3-dev libvulkan-dev libxxhash-dev libyaml-dev libzstd-dev
  lld-19 llvm-19-dev make mlir-19-tools ninja-build nlohmann-json3-dev pkg-config
  python3 python3-dev spirv-headers zlib1g-dev
)
test_packages=(
  abigail-tools binutils g++ gdb libbenchmark-dev libclang-rt-19-dev
  libfuzzer-19-dev libgmock-dev libgtest-dev llvm-19-tools mesa-vulkan-drivers
  postgresql python3-jsonschema python3-numpy python3-venv python3-yaml
  redis-server spirv-tools strace util-linux vulkan-validationlayers
)
# And what scripts/check-style runs.
style_packages=(clang-format-19 clang-tidy-19 pre-commit pyflakes3 shellcheck)

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# install_packages NAME...: installs those that are missing.
install_packages() {
  local missing=() name
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] ||
      missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "Installing ${missing[*]}"
  local sudo=()
  [ "$(id -u)" = 0 ] || sudo=(sudo)
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# configure FOLDER [-DNAME=VALUE...]: makes or refreshes a build tree, by the
# preset of CMakePresets.json that it belongs to: build is that of `release`,
# build-asan of `asan`.
configure() {
  local preset=${1##*/build} log
  preset=${preset#-}
  shift
  log=$(mktemp)
  if ! cmake -S "$root" --preset "${preset:-release}" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

# build FOLDER [TARGET...]: builds, with ninja's own line of progress.
build() {
  local folder=$1
  shift
  NINJA_STATUS='[%f/%t, %es] ' ninja -C "$folder" "$@"
}
