// KernelMaker.cpp - asks for TTIR, and remembers it in libnereid's cache.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernels/KernelMaker.h"

#include "kernels/Scripts.h"
#include "kernels/SourceDigest.h"
#include "nereid/host.h"
#include "support/File.h"
#include "support/Json.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace nereid::ops {

namespace fs = std::filesystem;
using host::CacheEntry;
using host::CacheValue;
using host::Json;

// Entries of another layout are not read.
static constexpr const char *layoutName = "ttir-of-operators/1";

KernelMaker::KernelMaker(KernelMakerOptions options)
    : options(std::move(options)), cache([&] {
        host::CacheOptions made;
        made.directory = this->options.cacheDir;
        return made;
      }()) {}

static std::string pythonOf(const std::string &given) {
  if (!given.empty())
    return given;
  const char *variable = std::getenv("NEREID_TRITON_PYTHON");
  return variable && *variable ? variable : "python3";
}

/// The absolute path of \p program, as a shell finds it; empty if nowhere.
static std::string findProgram(const std::string &program) {
  if (program.find('/') != std::string::npos) {
    std::error_code error;
    return fs::absolute(program, error).string();
  }
  const char *path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string found = folder + '/' + program;
    if (folder.starts_with('/') && access(found.c_str(), X_OK) == 0)
      return found;
  }
  return {};
}

// One text for `python -c`. A JSON string is a string of Python, too.
static std::string programText() {
  auto quoted = [](const char *text) { return Json(text).dump(-1, ' ', true); };
  std::string text = "import sys, types\n"
                     "def add(name, text):\n"
                     "    sys.modules[name] = module = types.ModuleType(name)\n"
                     "    exec(compile(text, name + '.py', 'exec'), "
                     "module.__dict__)\n";
  text += "add('nereid_worker', " + quoted(kernels::workerScript) + ")\n";
  text += "add('nereid_kernels', " + quoted(kernels::kernelsScript) + ")\n";
  text += "add('nereid_serve', " + quoted(kernels::serveScript) + ")\n";
  return text;
}

Result<worker::Pool *> KernelMaker::workers() {
  std::lock_guard lock(mutex);
  if (pool)
    return pool.get();
  std::string python = pythonOf(options.python), path = findProgram(python);
  if (path.empty())
    return Failure{NEREID_UNAVAILABLE,
                   "there is no '" + python +
                       "' in PATH to make the operators' kernels; install "
                       "Python with triton 3.6 to 3.9, or set "
                       "NEREID_TRITON_PYTHON to one that has it"};
  worker::Command command;
  command.words = {path, "-c", programText()};
  command.startLimit = std::chrono::minutes(2);
  pool =
      std::make_unique<worker::Pool>(std::move(command), worker::PoolLimits());
  return pool.get();
}

static nereid_status_t statusNamed(std::string_view name) {
  for (nereid_status_t status = NEREID_OK; status < 64; ++status)
    if (host::view(nereid_status_name(status)) == name)
      return status;
  return NEREID_INTERNAL;
}

// The error of an answer, with its notes.
static Failure failureOf(const worker::Json &error) {
  std::string text;
  for (const worker::Json &line :
       error.value("diagnostics", worker::Json::array())) {
    if (!text.empty())
      text += '\n';
    if (line.value("severity", "") == "note")
      text += "note: ";
    text += line.value("message", "");
  }
  return {statusNamed(error.value("status", "")), text};
}

Result<CacheValue> KernelMaker::askWorker(const std::string &request) {
  Result<worker::Pool *> asked = workers();
  if (!asked)
    return asked.failure();
  worker::Message message;
  message.header = worker::Json::parse(request);
  worker::Exchange exchange = (*asked)->ask(std::move(message), {});
  std::string who = "the Python that makes the operators' kernels: ";
  if (exchange.end != worker::End::Answered) {
    std::string text = who + exchange.problem;
    if (!exchange.output.empty())
      text += "\nnote: it printed: " + exchange.output;
    return Failure{exchange.end == worker::End::NotStarted ? NEREID_UNAVAILABLE
                                                           : NEREID_INTERNAL,
                   text};
  }
  worker::Json &header = exchange.answer.header;
  if (auto error = header.find("error"); error != header.end())
    return failureOf(*error);
  std::string *ttir = exchange.answer.blob("ttir");
  if (!ttir || !header.contains("arguments"))
    return Failure{NEREID_INTERNAL, who + "its answer has no TTIR"};
  header.erase("blobs");
  return CacheValue{std::move(*ttir), header.dump()};
}

Result<CacheValue> KernelMaker::produce(const std::string &request) {
  ++madeCount;
  if (!options.callback)
    return askWorker(request);
  Result<std::string> text = options.callback(request);
  if (!text)
    return text.failure();
  Json answer = Json::parse(*text, nullptr, false);
  if (!answer.is_object() || !answer.contains("ttir") ||
      !answer["ttir"].is_string() || !answer.contains("arguments"))
    return Failure{NEREID_INVALID_ARGUMENT,
                   "the callback that makes kernels did not return an object "
                   "with 'ttir' and 'arguments'"};
  std::string ttir = answer["ttir"].get<std::string>();
  answer.erase("ttir");
  return CacheValue{std::move(ttir), answer.dump()};
}

// Whether the Triton that made an entry is still the one in its place. One that
// is gone has not changed.
static bool isCurrent(const Json &facts) {
  auto library = facts.find("library");
  if (library == facts.end() || !library->is_array() || library->size() != 3 ||
      !(*library)[0].is_string())
    return true;
  struct stat found;
  if (stat((*library)[0].get<std::string>().c_str(), &found) != 0)
    return true;
  int64_t time =
      int64_t(found.st_mtim.tv_sec) * 1000000000 + found.st_mtim.tv_nsec;
  return (*library)[1] == int64_t(found.st_size) && (*library)[2] == time;
}

static Result<KernelText> textOf(std::string_view ttir, const Json &facts) {
  KernelText text;
  text.ttir = ttir;
  for (const Json &argument : facts.value("arguments", Json::array())) {
    if (!argument.is_array() || argument.size() != 2 ||
        !argument[0].is_string() || !argument[1].is_number_unsigned())
      return Failure{NEREID_INTERNAL,
                     "what made a kernel lists an argument as " +
                         argument.dump() + ", expected [name, item]"};
    text.arguments.push_back(
        {argument[0].get<std::string>(), argument[1].get<uint32_t>()});
  }
  return text;
}

Result<KernelText> KernelMaker::make(const KernelRequest &request) {
  Result<std::string> sources = digestOfSources(request.file.parent_path());
  if (!sources)
    return sources.failure();
  Json key = {
      {"layout", layoutName},
      {"version", host::view(nereid_version())},
      {"file", request.file.filename().string()},
      {"function", request.function},
      {"sources", *sources},
      {"arguments", Json::parse(request.arguments)},
      {"constants", Json::parse(request.constants)},
      {"facts", Json::parse(options.facts.empty() ? "{}" : options.facts)}};
  Json asked = key;
  asked["folder"] = request.file.parent_path().string();
  key["python"] = options.callback ? "callback" : pythonOf(options.python);
  host::Digest digest = host::sha256(key.dump());

  Result<CacheEntry> entry = cache.getOrCompute(
      digest, [&](const std::string &) { return produce(asked.dump()); });
  if (!entry)
    return entry.failure();
  Json facts = Json::parse(entry->metadata, nullptr, false);
  if (entry->isFromCache && (!facts.is_object() || !isCurrent(facts))) {
    Result<CacheValue> value = produce(asked.dump());
    if (!value)
      return value.failure();
    *entry = cache.put(digest, *value);
    facts = Json::parse(entry->metadata, nullptr, false);
  }
  return textOf(entry->body, facts);
}

} // namespace nereid::ops
