// PackFixture.h - packs in a folder of their own, for tests.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEST_OPS_PACK_FIXTURE_H
#define NEREID_TEST_OPS_PACK_FIXTURE_H

#include "pack/Packs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace nereid::ops {

class PackFixture : public testing::Test {
protected:
  PackFixture() {
    char name[] = "/tmp/nereid-packs-XXXXXX";
    folder = mkdtemp(name);
  }
  ~PackFixture() override { std::filesystem::remove_all(folder); }

  void write(const std::string &path, std::string_view text) {
    std::filesystem::path whole = folder + "/" + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }

  // A pack with one operator, `scale`, and the kernel of its variants.
  void writePack(const std::string &name, const std::string &targets,
                 const std::string &variants = oneVariant,
                 const std::string &more = "") {
    write(name + "/vendor.yaml",
          "vendor_name: " + name + "\ntargets: [\"" + targets + "\"]\n" + more);
    writeOperator(name, variants);
  }
  void writeOperator(const std::string &place, const std::string &variants) {
    write(place + "/ops/scale.py", kernel);
    write(place + "/ops/scale.yaml", std::string(schema) + variants);
  }

  Packs find(std::string directories) {
    PackSearch search;
    search.directories = std::move(directories);
    search.hasInstalled = false;
    search.allowsWritable = true; // the folder's place decides nothing here
    return Packs::find(search);
  }
  Packs findAll() { return find(folder); }

  // What is wrong, without the folder's name.
  std::vector<std::string> messages(const Packs &packs) const {
    std::vector<std::string> texts;
    for (const Problem &problem : packs.problems()) {
      std::string text = problem.message();
      for (size_t at; (at = text.find(folder + "/")) != text.npos;)
        text.erase(at, folder.size() + 1);
      texts.push_back(text);
    }
    return texts;
  }

  static constexpr const char *kernel =
      "import triton.language as tl\n\n"
      "def _help(a, b):  # def no(\n"
      "    return a\n\n"
      "@triton.jit\n"
      "def scale(x, out, n, factor,  # a comment, with (\n"
      "          BLOCK: tl.constexpr, WIDE: tl.constexpr = False):\n"
      "    pass\n";
  static constexpr const char *schema =
      "operator: scale\n"
      "schema:\n"
      "  inputs:\n"
      "    x: {dtype: [f16, f32], rank: [0, 2]}\n"
      "    y: {dtype: x.dtype, rank: 1, optional: true}\n"
      "  attributes:\n"
      "    factor: {type: float, default: 2.0}\n"
      "    dim: {type: int, default: 0}\n"
      "  outputs:\n"
      "    out: {dtype: x.dtype, shape: x.shape}\n"
      "let:\n"
      "  n: x.numel\n"
      "require:\n"
      "  dim < 2: \"dim is {dim}, {{expected}} 0 or 1 of {x.shape}\"\n"
      "empty: n == 0\n"
      "key: {n: log2}\n";
  static constexpr const char *oneVariant =
      "variants:\n"
      "  - name: only\n"
      "    kernel: scale.py:scale\n"
      "    arguments: {x: x, out: out, n: n, factor: factor}\n"
      "    constants: {BLOCK: 'min(tile, next_power_of_2(n))'}\n"
      "    let: {tile: 1024}\n"
      "    grid: ['cdiv(n, BLOCK)']\n"
      "    tune: scale\n";

  std::string folder;
};

} // namespace nereid::ops

#endif // NEREID_TEST_OPS_PACK_FIXTURE_H
