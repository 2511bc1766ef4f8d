// CompletionVerb.cpp - `nereid completion`: scripts for shells, which ask
// `nereid complete` for the words, so that plugins' options are among them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Verb.h"

#include "text/Suggestions.h"

namespace nereid::tool {

// bash splits words at '=' and ':', so the line is split here, and the
// part before the last of them is removed from the candidates.
static constexpr const char *bashScript = R"(# bash completion of nereid
_nereid() {
  local line=${COMP_LINE:0:COMP_POINT} words current broken candidate
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current=${words[-1]}
  broken=${current%"${current##*[=:]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    case $candidate in
    :files | :dirs)
      local kind=-f
      [[ $candidate == :dirs ]] && kind=-d
      compopt -o filenames
      while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
      done < <(compgen $kind -- "${current##*[=@]}")
      ;;
    *)
      [[ $candidate == *[=[:] ]] && compopt -o nospace
      COMPREPLY+=("${candidate#"$broken"}")
      ;;
    esac
  done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _nereid nereid
)";

static constexpr const char *zshScript = R"(#compdef nereid
_nereid() {
  local line candidate description
  local -a whole open
  while IFS= read -r line; do
    candidate=${line%%$'\t'*}
    case $candidate in
    :files) compset -P '*[=@]'; _files ;;
    :dirs) _files -/ ;;
    *[=:\[]) open+=("$candidate") ;;
    *) whole+=("$candidate") ;;
    esac
  done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#whole )) && compadd -Q -- "${whole[@]}"
  (( $#open )) && compadd -Q -S '' -- "${open[@]}"
}
if [[ $funcstack[1] == _nereid ]]; then
  _nereid "$@"
else
  compdef _nereid nereid
fi
)";

static constexpr const char *fishScript = R"(# fish completion of nereid
function __nereid_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files*'
                __fish_complete_path (string replace -r '.*[=@]' '' -- $current)
            case ':dirs*'
                __fish_complete_directories $current
            case '*'
                echo $line
        end
    end
end
complete -c nereid -f -a '(__nereid_complete)'
)";

static Expected<int> printScript(Session &session, const std::string &shell) {
  static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  const char *script = shell == "bash"   ? bashScript
                       : shell == "zsh"  ? zshScript
                       : shell == "fish" ? fishScript
                                         : nullptr;
  if (!script)
    return invalid("unknown shell '" + shell + "'" +
                   suggestNames(shell, shells));
  session.output.document({{"shell", shell}, {"script", script}});
  session.output.text(script);
  return exitOk;
}

Verb completionVerb() {
  auto shell = std::make_shared<std::string>();
  return {"completion",
          "print a shell's completion script",
          "completion bash|zsh|fish",
          "bash: source <(nereid completion bash)\n"
          "zsh:  source <(nereid completion zsh)\n"
          "fish: nereid completion fish | source\n",
          {{"SHELL", shell.get(), "", "", true}},
          [shell](Session &session) { return printScript(session, *shell); }};
}

} // namespace nereid::tool
