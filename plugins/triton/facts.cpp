// facts.cpp - asks a worker for facts, and remembers them in a file.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "facts.h"

#include "common/guard.h"
#include "report.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid::triton {

namespace fs = std::filesystem;
using plugin::Failure;
using worker::Json;
using worker::Message;

// ---------------------------------------------------------------- reading
std::string TargetName::text() const {
  return backend + ':' + arch + ':' + std::to_string(warpSize);
}

Json TargetName::json() const {
  return {{"backend", backend}, {"arch", arch}, {"warp_size", warpSize}};
}

const Option *Facts::option(std::string_view name) const {
  for (const Option &each : options)
    if (each.name == name)
      return &each;
  return nullptr;
}

static nereid_type_t typeOf(const std::string &name) {
  return name == "i64"    ? NEREID_TYPE_I64
         : name == "f64"  ? NEREID_TYPE_F64
         : name == "bool" ? NEREID_TYPE_BOOL
                          : NEREID_TYPE_STRING;
}

std::optional<Facts> Facts::read(const Json &json) {
  // A worker of another version, or a file that somebody has edited, may lack
  // anything: at() throws, and so does get() for another type.
  try {
    Facts facts;
    facts.version = json.at("version").get<std::string>();
    facts.key = json.at("key").get<std::string>();
    facts.frontend = json.at("facts");
    for (const Json &each : json.at("options")) {
      Option option;
      option.name = each.at("name").get<std::string>();
      option.doc = each.at("doc").get<std::string>();
      option.defaultValue = each.at("default").get<std::string>();
      option.type = typeOf(each.at("type").get<std::string>());
      if (each.contains("choices"))
        option.choices = each.at("choices").get<std::vector<std::string>>();
      facts.options.push_back(std::move(option));
    }
    for (const Json &each : json.at("stages"))
      facts.stages.push_back({each.at("name").get<std::string>(),
                              each.at("input").get<std::string>(),
                              each.at("output").get<std::string>(),
                              each.at("extension").get<std::string>(),
                              each.at("image").get<bool>()});
    if (facts.stages.empty())
      return std::nullopt;
    return facts;
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

// ---------------------------------------------------------------- the file
// The JSON in a file of this user that nobody else can write; null if there is
// none.
static Json readJson(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return {};
  struct stat status;
  std::string text;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH)) &&
      status.st_size < (1 << 24)) {
    text.resize(static_cast<size_t>(status.st_size));
    if (read(file, text.data(), text.size()) != status.st_size)
      text.clear();
  }
  close(file);
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json();
}

static void writeJson(const std::string &path, const Json &json) {
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path().parent_path(), ignored);
  mkdir(fs::path(path).parent_path().c_str(), 0700);
  std::string temporary = path + ".XXXXXX";
  int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0)
    return; // the next process asks again
  std::string text =
      json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
  bool isWritten = write(file, text.data(), text.size()) ==
                   static_cast<ssize_t>(text.size());
  isWritten &= close(file) == 0;
  if (!isWritten || std::rename(temporary.c_str(), path.c_str()) != 0)
    unlink(temporary.c_str());
}

static std::string textOf(const Json &json, const char *name) {
  auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>()
                                                   : std::string();
}

// The files that facts depend on, outside Triton's folder.
static std::string stampOf(const Json &json) {
  std::vector<std::string> files;
  auto list = json.find("files");
  if (list != json.end() && list->is_array())
    for (const Json &file : *list)
      files.push_back(file.is_string() ? file.get<std::string>() : "");
  return fingerprintOf(files);
}

static std::string digits(uint32_t number) {
  char text[16];
  snprintf(text, sizeof text, "%08x", number);
  return text;
}

std::string Installed::fileOf(const std::string &python) const {
  if (settings.cacheDirectory.empty())
    return {};
  return settings.cacheDirectory + "/triton-" +
         digits(worker::crc32(python + '\n' + backend.name + '\n' +
                              digestOfScripts())) +
         ".json";
}

// Uses what a file says about `python`, if nothing has changed since.
bool Installed::remember(const std::string &python) {
  std::string path = fileOf(python);
  Json json = path.empty() ? Json() : readJson(path);
  if (!json.is_object() || textOf(json, "python") != python ||
      textOf(json, "backend") != backend.name ||
      textOf(json, "scripts") != digestOfScripts() || !json.contains("targets"))
    return false;
  Installation found;
  found.python = python;
  found.folder = textOf(json, "folder");
  found.version = textOf(json, "version");
  std::string now = fingerprintOf(found);
  if (now.empty() || now != textOf(json, "fingerprint"))
    return false;
  installation = found;
  fingerprint = now;
  remembered = json["targets"];
  return true;
}

void Installed::store() {
  std::string path = fileOf(installation.python);
  if (path.empty())
    return;
  writeJson(path, {{"python", installation.python},
                   {"folder", installation.folder},
                   {"version", installation.version},
                   {"backend", backend.name},
                   {"scripts", digestOfScripts()},
                   {"fingerprint", fingerprint},
                   {"targets", remembered}});
}

// What any Python said of a target that cannot be asked any more: cached images
// are found with it.
std::shared_ptr<const Facts>
Installed::lastKnown(const std::string &target) const {
  std::shared_ptr<const Facts> best;
  fs::file_time_type newest;
  std::error_code error;
  if (settings.cacheDirectory.empty())
    return nullptr;
  for (const auto &entry :
       fs::directory_iterator(settings.cacheDirectory, error)) {
    std::string name = entry.path().filename();
    if (!name.starts_with("triton-") || !name.ends_with(".json"))
      continue;
    fs::file_time_type time = entry.last_write_time(error);
    if (best && time <= newest)
      continue;
    Json json = readJson(entry.path());
    if (textOf(json, "backend") != backend.name ||
        textOf(json, "scripts") != digestOfScripts() ||
        !json.contains("targets") || !json["targets"].is_object() ||
        !json["targets"].contains(target))
      continue;
    if (std::optional<Facts> facts = Facts::read(json["targets"][target])) {
      best = std::make_shared<Facts>(std::move(*facts));
      newest = time;
    }
  }
  return best;
}

// ---------------------------------------------------------------- Python
// The digest of the worker's files: another one may compile differently.
static std::string scriptsOf(const std::string &worker) {
  std::string text;
  for (const std::string &path :
       {worker,
        (fs::path(worker).parent_path() / "nereid_worker.py").string()}) {
    std::ifstream file(path, std::ios::binary);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  return digits(worker::crc32(text)) + '-' + std::to_string(text.size());
}

Installed::Installed(const Backend &backend, const Settings &settings)
    : backend(backend), settings(settings) {}

// Not before it is needed: most processes that load the plugin never compile.
const std::string &Installed::digestOfScripts() const {
  if (scripts.empty())
    scripts = scriptsOf(backend.worker);
  return scripts;
}

std::string Installed::workerDigest() const {
  std::lock_guard lock(mutex);
  return digestOfScripts();
}

std::string Installed::whatToDo() const {
  std::string text = "no Python with Triton 3.6 to 3.9 was found: ";
  for (const std::string &problem : problems)
    text += problem + "; ";
  if (problems.empty())
    text += "there is no python3 in PATH; ";
  return text + "install one with 'pip install triton==3.9.0', or set "
                "NEREID_TRITON_PYTHON to a Python that has it";
}

// The first Python with a supported Triton.
void Installed::findPython() {
  if (isSearched)
    return;
  std::vector<std::string> candidates = settings.pythons;
  if (!settings.python.empty())
    candidates = {settings.python};
  for (const std::string &python : candidates) {
    if (remember(python)) {
      isSearched = true;
      return;
    }
    Installation found = inspectPython(python);
    if (found.problem.empty()) {
      fingerprint = fingerprintOf(found);
      if (fingerprint.empty())
        found.problem = "the Triton of '" + python + "' has no library";
    }
    if (found.problem.empty()) {
      installation = found;
      remembered = Json::object();
      isSearched = true;
      return;
    }
    problems.push_back(found.problem);
  }
  isSearched = true;
}

worker::Pool &Installed::pool() {
  std::lock_guard lock(mutex);
  findPython();
  if (installation.python.empty())
    throw Failure(NEREID_UNAVAILABLE, whatToDo());
  if (!workers) {
    worker::Command command;
    command.words = {installation.python, backend.worker};
    if (!backend.name.empty()) {
      command.words.push_back(backend.name);
      command.words.insert(command.words.end(), backend.folders.begin(),
                           backend.folders.end());
    }
    command.environment = settings.relevant;
    command.memory = settings.memory;
    command.startLimit = std::chrono::minutes(2);
    worker::PoolLimits limits;
    limits.most = settings.workers;
    workers = std::make_unique<worker::Pool>(std::move(command), limits);
  }
  return *workers;
}

Message Installed::ask(Message request, const nereid_call_t *call) {
  worker::Limits limits;
  limits.time = settings.timeLimit;
  if (NEREID_HAS_SLOT(call, cancelled))
    limits.isCancelled = [call] { return call->cancelled(call) != 0; };
  worker::Exchange exchange = pool().ask(std::move(request), limits);
  if (nereid_status_t status = reportExchange(exchange, call))
    throw Reported{status};
  return std::move(exchange.answer);
}

// ---------------------------------------------------------------- facts
std::shared_ptr<const Facts> Installed::facts(const TargetName &target,
                                              const nereid_call_t *call) {
  std::string name = target.text();
  {
    std::lock_guard lock(mutex);
    if (auto found = targets.find(name); found != targets.end())
      return found->second;
    findPython();
    std::shared_ptr<const Facts> known;
    if (installation.python.empty()) {
      known = lastKnown(name);
      if (!known)
        throw Failure(NEREID_UNAVAILABLE, whatToDo());
    } else if (remembered.contains(name)) {
      const Json &json = remembered[name];
      if (textOf(json, "stamp") == stampOf(json) &&
          json.value("relevant", Json()) == Json(settings.relevant))
        if (std::optional<Facts> facts = Facts::read(json))
          known = std::make_shared<Facts>(std::move(*facts));
    }
    if (known)
      return targets[name] = known;
  }
  // Without the lock: a fork need not wait for Python. Two threads may both
  // ask, and get the same.
  Message request;
  request.header = target.json();
  request.header["request"] = "describe";
  Message answer = ask(std::move(request), call);
  Json &json = answer.header;
  std::optional<Facts> facts = Facts::read(json);
  if (!facts)
    throw Failure(NEREID_INTERNAL, "the worker describes target " + name +
                                       " in a way that is not understood");
  std::lock_guard lock(mutex);
  json["stamp"] = stampOf(json);
  json["relevant"] = settings.relevant;
  remembered[name] = json;
  store();
  return targets[name] = std::make_shared<Facts>(std::move(*facts));
}

} // namespace nereid::triton
