// CacheVerb.cpp - `nereid cache`: shows, checks and shrinks the cache of
// compiled kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Text.h"
#include "Verb.h"

#include "text/Suggestions.h"

#include <algorithm>
#include <charconv>

namespace nereid::tool {

namespace {
struct Options {
  std::string action;
  std::string limit;
};
} // namespace

static Expected<nereid_cache_stat_t> readStat(const Runtime &runtime) {
  auto stat = detail::sized<nereid_cache_stat_t>();
  nereid_status_t status = nereid_cache_stat(runtime.get(), &stat);
  if (status != NEREID_OK)
    return detail::lastError(status);
  return stat;
}

static std::string entriesText(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

static Expected<int> showStat(Session &session, const Runtime &runtime) {
  Expected<nereid_cache_stat_t> stat = readStat(runtime);
  if (!stat)
    return stat.error();
  std::string directory(detail::view(stat->directory));
  session.output.document(
      {{"enabled", stat->enabled != 0},
       {"directory", directory},
       {"entries", stat->entries},
       {"bytes", stat->bytes},
       {"limit", stat->limit},
       {"remote", std::string(detail::view(stat->remote))}});
  if (stat->remote.size)
    session.output.text("remote     " +
                        std::string(detail::view(stat->remote)) + '\n');
  if (!stat->enabled)
    session.output.text("the cache is switched off or cannot be used\n");
  else
    session.output.text("directory  " + directory + "\nentries    " +
                        std::to_string(stat->entries) + "\nsize       " +
                        bytesText(stat->bytes) + " of " +
                        bytesText(stat->limit) + '\n');
  return exitOk;
}

static Expected<int> verify(Session &session, const Runtime &runtime) {
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_cache_verify(runtime.get(), &buffer);
  Expected<Json> result = takeJson(status, buffer);
  if (!result)
    return result.error();
  session.output.document(*result);
  const Json damaged = result->value("damaged", Json::array());
  for (const Json &entry : damaged)
    session.output.text(
        (entry.value("removed", false) ? "removed " : "cannot remove ") +
        entry.value("file", "") + ": " + entry.value("reason", "") + '\n');
  session.output.text(entriesText(result->value("entries", uint64_t(0))) +
                      ", " + std::to_string(damaged.size()) + " damaged\n");
  if (!damaged.empty())
    return failure(workFailed, std::to_string(damaged.size()) +
                                   " damaged entries in the cache");
  if (std::string reason = result->value("reason", ""); !reason.empty())
    return failure(NEREID_IO_ERROR,
                   "a folder of the cache cannot be read, " + reason);
  return exitOk;
}

static Expected<int> tellRemoved(Session &session, nereid_status_t status,
                                 nereid_buffer_t *buffer) {
  Expected<Json> result = takeJson(status, buffer);
  if (!result)
    return result.error();
  session.output.document(*result);
  session.output.text(entriesText(result->value("removed", uint64_t(0))) +
                      " removed, " +
                      bytesText(result->value("bytes", uint64_t(0))) + '\n');
  if (uint64_t failed = result->value("failed", uint64_t(0)))
    return failure(NEREID_IO_ERROR,
                   (failed == 1 ? "1 item of the cache cannot be removed, "
                                : std::to_string(failed) +
                                      " items of the cache cannot be removed, "
                                      "the first ") +
                       result->value("reason", ""));
  return exitOk;
}

// "512M": a number of bytes with a binary suffix.
static Expected<uint64_t> parseLimit(const std::string &text) {
  static constexpr std::string_view suffixes = "KMGT";
  uint64_t scale = 1;
  std::string_view digits = text;
  size_t suffix =
      text.empty() ? text.npos : suffixes.find(std::toupper(text.back()));
  if (suffix != text.npos) {
    scale = uint64_t(1) << 10 * (suffix + 1);
    digits.remove_suffix(1);
  }
  uint64_t limit = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), limit);
  bool isNumber = error == std::errc() && end == digits.data() + digits.size();
  // The library takes 0 as "the configured limit".
  if (!isNumber || limit == 0 || limit > UINT64_MAX / scale)
    return invalid("--limit '" + text + "': expected a size of 1 to " +
                   std::to_string(UINT64_MAX) + " bytes, as in '512M' or '2G'" +
                   (isNumber && limit == 0
                        ? "\nnote: 'nereid cache clear' removes everything"
                        : ""));
  return limit * scale;
}

static Expected<int> manage(Session &session, const Options &options) {
  uint64_t limit = 0;
  if (!options.limit.empty()) {
    if (options.action != "gc")
      return invalid("--limit belongs to 'cache gc'");
    Expected<uint64_t> parsed = parseLimit(options.limit);
    if (!parsed)
      return parsed.error();
    limit = *parsed;
  }
  static const std::vector<std::string> actions = {"stat", "verify", "gc",
                                                   "clear"};
  if (std::find(actions.begin(), actions.end(), options.action) ==
      actions.end())
    return invalid("unknown action '" + options.action + "'" +
                   suggestNames(options.action, actions));
  Expected<Runtime *> runtime = session.runtime();
  if (!runtime)
    return runtime.error();
  if (options.action == "stat")
    return showStat(session, **runtime);
  if (options.action == "verify")
    return verify(session, **runtime);
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status =
      options.action == "gc"
          ? nereid_cache_gc((*runtime)->get(), limit, &buffer)
          : nereid_cache_clear((*runtime)->get(), &buffer);
  return tellRemoved(session, status, buffer);
}

Verb cacheVerb() {
  auto options = std::make_shared<Options>();
  return {"cache",
          "look at, check or empty the cache",
          "cache stat|verify|gc|clear [options]",
          "stat    where it is and how large\n"
          "verify  read every entry; damaged ones are removed and listed\n"
          "gc      remove what exceeds the limit, and leftovers\n"
          "clear   remove everything\n",
          {{"ACTION", &options->action, "", "", true},
           {"--limit", &options->limit, "SIZE",
            "gc: remove least recently used entries down to this"}},
          [options](Session &session) { return manage(session, *options); }};
}

} // namespace nereid::tool
