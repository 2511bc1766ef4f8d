// ShiftPack.h - a pack whose one operator adds a constant, so that a result
// says which configuration it was computed with. Its kernels need no Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_OPS_CALL_SHIFT_PACK_H
#define NEREID_TESTS_OPS_CALL_SHIFT_PACK_H

#include "Operators.h"

#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

namespace nereid::test {

/// Makes the kernels as a program's own Python would.
struct ShiftSource {
  std::vector<int> made; // the constant of each request
  std::set<int> broken;  // the constants whose kernels cannot be made
  nereid_status_t status = NEREID_UNIMPLEMENTED; // of those
  nereid_kernel_source_t source = {};

  ShiftSource() {
    source.struct_size = sizeof source;
    source.user = this;
    source.make = make;
  }

private:
  std::mutex mutex;

  static nereid_status_t make(void *user, nereid_string_t request,
                              const nereid_writer_t *answer) {
    auto &self = *static_cast<ShiftSource *>(user);
    auto asked = nlohmann::json::parse(std::string(request.data, request.size));
    int add = asked["constants"]["ADD"];
    std::lock_guard lock(self.mutex);
    self.made.push_back(add);
    if (self.broken.contains(add)) {
      std::string reason = "no kernel adds " + std::to_string(add);
      (void)answer->write(answer, reason.data(), reason.size());
      return self.status;
    }
    std::string ttir = R"(module {
  tt.func public @shift(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
    %add = arith.constant )" +
                       std::to_string(add) + R"(.0 : f32
    %program = tt.get_program_id x : i32
    %from = tt.addptr %x, %program : !tt.ptr<f32>, i32
    %to = tt.addptr %out, %program : !tt.ptr<f32>, i32
    %value = tt.load %from : !tt.ptr<f32>
    %sum = arith.addf %value, %add : f32
    tt.store %to, %sum : !tt.ptr<f32>
    tt.return
  }
})";
    nlohmann::json made = {{"ttir", ttir}};
    for (const char *name : {"x", "out"})
      made["arguments"].push_back(nlohmann::json::array({name, 0}));
    std::string text = made.dump();
    return answer->write(answer, text.data(), text.size());
  }
};

/// A folder with the pack in `pack`.
class ShiftPack : public testing::Test {
protected:
  void SetUp() override {
    std::string name =
        std::filesystem::temp_directory_path() / "nereid-shift-XXXXXX";
    folder = mkdtemp(name.data());
    write("vendor.yaml", "vendor_name: test\ntargets: ['*']\n");
    write("ops/shift.py", "import triton\n"
                          "import triton.language as tl\n\n\n"
                          "@triton.jit\n"
                          "def shift(x, out, ADD: tl.constexpr):\n"
                          "    i = tl.program_id(0)\n"
                          "    tl.store(out + i, tl.load(x + i) + ADD)\n");
    write("ops/shift.yaml", R"(operator: shift
schema:
  inputs:
    x: {dtype: [f32], rank: 1}
  outputs:
    out: {dtype: x.dtype, shape: x.shape}
let: {n: x.numel}
key: {n: log2}
variants:
  - name: plain
    kernel: shift.py:shift
    arguments: {x: x, out: out}
    constants: {ADD: 1}
    grid: [n]
    tune: shift
  - name: other
    kernel: shift.py:shift
    arguments: {x: x, out: out}
    constants: {ADD: 100}
    grid: [n]
)");
    write("tune_configs.yaml",
          "shift:\n- gen: true\n  param_map: {META: {ADD: adds}}\n"
          "  adds: [2, 3, 4]\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void write(const std::string &path, std::string_view text) {
    std::filesystem::path whole = folder + "/pack/" + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }

  /// What the operator adds, or its error.
  static std::string added(Operators &operators, int64_t n = 16) {
    Array<float> x({n}), out({n});
    x[0] = 10;
    Call call;
    call.input("x", x.tensor()).output("out", out.tensor());
    if (std::string error = operators.call("shift", call); !error.empty())
      return error;
    return std::to_string(static_cast<int>(out[0]) - 10);
  }

  std::string folder;
  ShiftSource source;
};

} // namespace nereid::test

#endif // NEREID_TESTS_OPS_CALL_SHIFT_PACK_H
