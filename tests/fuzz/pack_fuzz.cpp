// pack_fuzz.cpp - any bytes as the files of a pack of operators: a pack, or
// problems with places; and what calls of its operators would launch.
//
// Lines of three equals signs and a name separate the files.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "select/Describe.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace nereid::ops;

namespace {

constexpr std::array<std::string_view, 6> kFiles = {
    "vendor.yaml",
    "tune_configs.yaml",
    "ops/one.yaml",
    "ops/kernels.py",
    "arch/family/ops/one.yaml",
    "compiler/triton-3/tune_configs.yaml"};

/// A folder with the files of one input.
class Folder {
public:
  Folder() {
    std::string name = "/dev/shm/nereid-fuzz-XXXXXX";
    if (!mkdtemp(name.data())) {
      name = "/tmp/nereid-fuzz-XXXXXX";
      if (!mkdtemp(name.data()))
        std::abort();
    }
    path = name;
    for (std::string_view file : kFiles)
      std::filesystem::create_directories((path / file).parent_path());
  }
  ~Folder() { std::filesystem::remove_all(path); }

  void write(std::string_view input) const {
    for (std::string_view file : kFiles)
      std::filesystem::remove(path / file);
    while (!input.empty()) {
      std::string_view name = input.substr(0, input.find('\n'));
      input.remove_prefix(std::min(input.size(), name.size() + 1));
      std::string_view text = input.substr(0, input.find("\n=== ") + 1);
      if (text.empty())
        text = input;
      input.remove_prefix(text.size());
      for (std::string_view file : kFiles)
        if (name == "=== " + std::string(file))
          writeFile(path / file, text);
    }
  }

  std::filesystem::path path;

private:
  static void writeFile(const std::filesystem::path &name,
                        std::string_view text) {
    FILE *file = std::fopen(name.c_str(), "w");
    if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size())
      std::abort();
    std::fclose(file);
  }
};

} // namespace

static TargetFacts makeTarget() {
  Result<TargetFacts> target =
      targetFacts("cpu", "x86_64", "triton-3.6.0",
                  R"({"name": "one", "multiprocessor_count": 8})");
  if (!target)
    std::abort();
  return *target;
}

// A call with what the operator requires, and no more.
static CallFacts callOf(const Operator &op) {
  CallFacts call;
  for (const InputSchema &input : op.schema.inputs) {
    if (input.isOptional)
      continue;
    int64_t rank = std::clamp<int64_t>(
        2, input.leastRank, std::max(input.leastRank, input.mostRank));
    TensorFacts tensor;
    tensor.dtype = input.dtypes.empty() ? "f32" : input.dtypes[0];
    tensor.shape.assign(static_cast<size_t>(std::min<int64_t>(rank, 64)), 3);
    tensor.stride = rowMajor(tensor.shape);
    call.inputs.push_back({input.name, input.isList, {tensor}});
  }
  for (const AttributeSchema &attribute : op.schema.attributes)
    if (!attribute.byDefault)
      call.attributes.push_back({attribute.name, Value(1)});
  return call;
}

static void check(const Packs &packs, const TargetFacts &target) {
  reportOf(packs).dump();
  listOperators(packs, &target).dump();
  for (const std::string &name : packs.operatorNames()) {
    auto shown = showOperator(packs, name);
    if (!shown)
      std::abort();
    shown->dump();
    for (const Applied &applied : packs.layersFor(target)) {
      auto found = applied.layer->operators.find(name);
      if (found == applied.layer->operators.end())
        continue;
      auto explained =
          explainCall(packs, target, name, {callOf(found->second), {}});
      if (explained)
        explained->dump();
      else if (explained.failure().text.empty())
        std::abort();
    }
  }
  for (const Applied &applied : packs.layersFor(target))
    for (const auto &[name, tuned] : applied.layer->configs.operators())
      for (Search search : {Search::Usual, Search::Expanded}) {
        auto configurations = expand(tuned, search);
        if (configurations)
          for (const Configuration &configuration : *configurations)
            jsonOf(configuration).dump();
        else if (configurations.failure().text.empty())
          std::abort();
      }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Folder folder;
  static const TargetFacts target = makeTarget();
  folder.write({reinterpret_cast<const char *>(data), size});
  std::vector<Problem> problems;
  std::unique_ptr<Pack> pack =
      Pack::read(folder.path.string(), /*isUser=*/false, problems);
  for (const Problem &problem : problems)
    if (problem.text.empty() || !problem.file.starts_with(folder.path.string()))
      std::abort();
  if (!pack) {
    if (problems.empty())
      std::abort();
    return 0;
  }
  std::vector<std::unique_ptr<Pack>> list;
  list.push_back(std::move(pack));
  check(Packs::of(std::move(list)), target);
  return 0;
}
