// NewPluginVerb.cpp - `nereid new-plugin`: makes a plugin of a compiler that is
// a class in Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin is a copy of a file that is installed with libnereid. Its id is in
// its note, which a host reads before it loads the file; the rest is in a JSON
// file beside it (docs/triton.md).

#include "Files.h"
#include "Verb.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>

namespace nereid::tool {

namespace fs = std::filesystem;

namespace {
struct Options {
  std::string folder, pythonClass, id, target;
  std::vector<std::string> paths;
};
} // namespace

// The id in the note of the file that is copied, padded as it is there.
static constexpr std::string_view templateId = "python-backend";
static constexpr size_t idSize = 64;

static constexpr std::array<std::string_view, 2> scripts = {
    "nereid_triton_worker.py", "nereid_worker.py"};

/// Where libnereid is.
static std::string libraryFolder() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<const void *>(&nereid_version), &info) ||
      !info.dli_fname)
    return {};
  std::error_code error;
  return fs::canonical(info.dli_fname, error).parent_path();
}

static std::string padded(std::string_view id) {
  std::string field(id);
  field.resize(idSize, '\0');
  return field;
}

/// Writes \p id into the note of \p file.
static Expected<void> setId(std::string &file, const std::string &path,
                            std::string_view id) {
  std::string old = padded(templateId);
  size_t at = file.find(old);
  if (at == std::string::npos || file.find(old, at + 1) != std::string::npos)
    return failure(NEREID_INCOMPATIBLE,
                   path + ": the note of '" + std::string(templateId) +
                       "' was expected in it once; install the plugins of "
                       "this Nereid");
  file.replace(at, idSize, padded(id));
  return {};
}

static Expected<void> check(Options &options) {
  static const std::regex classes("[A-Za-z_][\\w.]*:[A-Za-z_]\\w*");
  static const std::regex ids("[a-z0-9_.-]{1,63}");
  if (!std::regex_match(options.pythonClass, classes))
    return invalid("--from-python '" + options.pythonClass +
                   "': expected MODULE:CLASS, as in acme.compiler:AcmeBackend");
  if (options.id.empty())
    options.id = fs::path(options.folder).filename();
  if (!std::regex_match(options.id, ids))
    return invalid("the id '" + options.id +
                   "' is not 1 to 63 of [a-z0-9_.-]; --id sets another one");
  if (options.target.empty())
    options.target = options.id;
  return {};
}

/// Where the worker looks for the module: what was given, else this directory.
static Expected<Json> foldersOf(const Options &options) {
  Json list = Json::array();
  std::vector<std::string> paths = options.paths;
  if (paths.empty())
    paths.push_back(".");
  for (const std::string &path : paths) {
    std::error_code error;
    fs::path absolute = fs::canonical(path, error);
    if (error)
      return systemError(path, error.value());
    list.push_back(absolute.string());
  }
  return list;
}

static Expected<int> make(Session &session, Options options) {
  if (Expected<void> checked = check(options); !checked)
    return checked.error();
  std::string library = libraryFolder();
  std::string source =
      library + "/nereid/python-backend/" + std::string(templateId) + ".so";
  Expected<std::string> file = readFile(source);
  if (!file)
    return file.error();
  if (Expected<void> set = setId(*file, source, options.id); !set)
    return set.error();
  Expected<Json> folders = foldersOf(options);
  if (!folders)
    return folders.error();

  fs::path folder = fs::path(options.folder);
  std::string plugin = folder / (options.id + ".so");
  if (fs::exists(plugin))
    return failure(NEREID_INVALID_ARGUMENT,
                   plugin + ": the file exists, and is not overwritten");
  std::error_code error;
  fs::create_directories(folder / options.id, error);
  if (error)
    return systemError(folder / options.id, error.value());
  for (std::string_view script : scripts) {
    Expected<std::string> text =
        readFile(library + "/nereid/plugins/triton/" + std::string(script));
    if (!text)
      return text.error();
    if (Expected<void> written =
            writeFile(folder / options.id / script, {*text});
        !written)
      return written.error();
  }
  Json description = {{"class", options.pythonClass},
                      {"target", options.target},
                      {"folders", *folders}};
  if (Expected<void> written = writeFile(folder / options.id / "backend.json",
                                         {description.dump(2), "\n"});
      !written)
    return written.error();
  // Last: a plugin that is found is complete.
  if (Expected<void> written = writeFile(plugin, {*file}); !written)
    return written.error();
  session.output.document({{"plugin", plugin},
                           {"id", options.id},
                           {"target", options.target},
                           {"class", options.pythonClass}});
  session.output.text(plugin + ": plugin '" + options.id + "' compiles for '" +
                      options.target + "' with " + options.pythonClass +
                      "\nnote: NEREID_PLUGIN_DIRS=" +
                      fs::absolute(folder).lexically_normal().string() +
                      " makes programs find it\n");
  return exitOk;
}

Verb newPluginVerb() {
  auto options = std::make_shared<Options>();
  return {
      "new-plugin",
      "make a plugin of a compiler in Python",
      "new-plugin --from-python MODULE:CLASS FOLDER [options]",
      "CLASS is a triton.backends.compiler.BaseBackend. It runs in processes "
      "of the\nPython that NEREID_TRITON_PYTHON names, else of the first one "
      "with a Triton.\n\nExamples:\n  nereid new-plugin --from-python "
      "acme.compiler:AcmeBackend plugins --id acme\n",
      {{"FOLDER", &options->folder, "", "", true},
       {"--from-python", &options->pythonClass, "MODULE:CLASS",
        "the class that compiles", true},
       {"--id", &options->id, "ID", "of the plugin; else FOLDER's name"},
       {"--target", &options->target, "NAME",
        "device type that it compiles for; else the id"},
       {"--path", &options->paths, "DIR",
        "where MODULE is; else this directory"}},
      [options](Session &session) { return make(session, *options); }};
}

} // namespace nereid::tool
