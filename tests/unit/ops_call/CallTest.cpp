// CallTest.cpp - what a call is made of, with a small pack whose kernels the
// test makes itself: no Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Operators.h"

#include <fstream>
#include <nlohmann/json.hpp>

using namespace nereid::test;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {
constexpr const char *vendorFile = "vendor_name: test\n"
                                   "device_name: any\n"
                                   "targets: ['*']\n";

// out[i] = x[i] * scale + n, for one element in each program.
constexpr const char *scaleFile = R"(operator: scale
schema:
  inputs:
    x: {dtype: [f32], rank: [1, 2]}
  attributes:
    scale: {type: float, default: 2.0}
    n: {type: int, default: 1}
    mode: {type: string, default: plain}
  outputs:
    out: {dtype: x.dtype, shape: x.shape}
empty: out.numel == 0
contiguous: [x]
variants:
  - name: each
    when: mode == "plain"
    kernel: scale.py:scale
    arguments: {x: x, out: out, scale: scale, n: n}
    grid: [out.numel]
)";
constexpr const char *scalePython = "import triton\n"
                                    "@triton.jit\n"
                                    "def scale(x, out, scale, n):\n"
                                    "    pass\n";

constexpr const char *scaleTtir = R"(module {
  tt.func public @scale(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %scale: f32, %n: i64) {
    %program = tt.get_program_id x : i32
    %from = tt.addptr %x, %program : !tt.ptr<f32>, i32
    %to = tt.addptr %out, %program : !tt.ptr<f32>, i32
    %value = tt.load %from : !tt.ptr<f32>
    %product = arith.mulf %value, %scale : f32
    %number = arith.sitofp %n : i64 to f32
    %sum = arith.addf %product, %number : f32
    tt.store %to, %sum : !tt.ptr<f32>
    tt.return
  }
})";

/// Makes kernels as a program's own Python would.
struct Source {
  std::vector<Json> requests;
  std::string failure;
  nereid_kernel_source_t source = {};

  Source() {
    source.struct_size = sizeof source;
    source.user = this;
    source.make = [](void *user, nereid_string_t request,
                     const nereid_writer_t *answer) -> nereid_status_t {
      auto &self = *static_cast<Source *>(user);
      self.requests.push_back(
          Json::parse(std::string(request.data, request.size)));
      if (!self.failure.empty()) {
        (void)answer->write(answer, self.failure.data(), self.failure.size());
        return NEREID_UNAVAILABLE;
      }
      Json made = {{"ttir", scaleTtir}};
      for (const char *name : {"x", "out", "scale", "n"})
        made["arguments"].push_back(Json::array({name, 0}));
      std::string text = made.dump();
      return answer->write(answer, text.data(), text.size());
    };
  }
};

class CallTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "nereid-call-XXXXXX";
    folder = mkdtemp(name.data());
    fs::create_directories(folder + "/pack/ops");
    std::ofstream(folder + "/pack/vendor.yaml") << vendorFile;
    std::ofstream(folder + "/pack/ops/scale.yaml") << scaleFile;
    std::ofstream(folder + "/pack/ops/scale.py") << scalePython;
    operators = std::make_unique<Operators>(
        Operators::Options{folder + "/pack", "", "", &source.source});
  }
  void TearDown() override {
    operators.reset();
    fs::remove_all(folder);
  }
  /// The error of a call with what is usual but for `change`.
  std::string error(void (*change)(nereid_tensor_t &x)) {
    Array<float> x({4}), out({4});
    nereid_tensor_t tensor = x.tensor();
    change(tensor);
    return operators->call(
        "scale", Call().input("x", tensor).output("out", out.tensor()));
  }

  std::string folder;
  Source source;
  std::unique_ptr<Operators> operators;
};
} // namespace

TEST_F(CallTest, PassesAttributesAndTheirDefaults) {
  Array<float> x({3}), out({3});
  x[0] = 1, x[1] = 2, x[2] = 3;
  Call call;
  call.input("x", x.tensor()).output("out", out.tensor());
  ASSERT_EQ(operators->call("scale", call), "");
  EXPECT_EQ(out[2], 3 * 2 + 1);
  ASSERT_EQ(operators->call("scale", call.attribute("n", int64_t(10))), "");
  EXPECT_EQ(out[2], 3 * 2 + 10);
  ASSERT_EQ(operators->call("scale", call.attribute("scale", -1.5)), "");
  EXPECT_EQ(out[0], -1.5f + 10);
}

TEST_F(CallTest, ValuesThatAreOnlyPassedOnNeedNoNewKernel) {
  Array<float> x({3}), out({3});
  x[1] = 1;
  for (int64_t n = 0; n < 50; ++n) {
    Call call;
    call.input("x", x.tensor()).output("out", out.tensor());
    call.attribute("n", n).attribute("scale", 0.5 * n);
    ASSERT_EQ(operators->call("scale", call), "");
    ASSERT_EQ(out[1], 0.5f * n + n);
  }
  // The request says what the kernel is passed, and what was promised.
  ASSERT_EQ(source.requests.size(), 1u);
  Json request = source.requests[0];
  EXPECT_EQ(request["function"], "scale");
  EXPECT_EQ(request["file"], "scale.py");
  EXPECT_EQ(request["arguments"],
            Json::parse(R"([{"name": "x", "type": "*fp32", "hint": "16"},
                            {"name": "out", "type": "*fp32", "hint": "16"},
                            {"name": "scale", "type": "fp32", "hint": ""},
                            {"name": "n", "type": "i64", "hint": ""}])"));
}

TEST_F(CallTest, ACallMayNameWhatItUses) {
  Array<float> x({3}), out({3});
  x[2] = 3;
  Call call;
  call.input("x", x.tensor()).output("out", out.tensor());
  ASSERT_EQ(operators->call("scale", call), "");
  // `each` does not apply with this mode, which the other variant is for.
  std::string pack = folder + "/pack/ops/scale.yaml";
  std::ofstream(pack, std::ios::app)
      << "  - name: twice\n    kernel: scale.py:scale\n"
         "    arguments: {x: x, out: out, scale: scale * 2, n: n}\n"
         "    grid: [out.numel]\n";
  operators = std::make_unique<Operators>(
      Operators::Options{folder + "/pack", "", "", &source.source});
  ASSERT_EQ(operators->call("scale", call), "");
  EXPECT_EQ(out[2], 3 * 2 + 1);
  nereid_operator_call_t given = call.get();
  given.choice = borrow(R"({"variant": "twice"})");
  nereid_operator_t *op = operators->find("scale");
  ASSERT_EQ(nereid_operator_call(op, &given), NEREID_OK) << lastError();
  ASSERT_EQ(nereid_backend_synchronize(operators->backend, 0, 0), NEREID_OK);
  EXPECT_EQ(out[2], 3 * 4 + 1);
  ASSERT_EQ(operators->call("scale", call), "");
  EXPECT_EQ(out[2], 3 * 2 + 1);
  given.choice = borrow(R"({"variant": "no such"})");
  EXPECT_NE(nereid_operator_call(op, &given), NEREID_OK);
  given.choice = borrow("[");
  EXPECT_EQ(nereid_operator_call(op, &given), NEREID_INVALID_ARGUMENT);
  EXPECT_NE(lastError().find("scale: the choice is not a JSON object"),
            std::string::npos)
      << lastError();
  given.choice = {};
  nereid_buffer_t *buffer = nullptr;
  ASSERT_EQ(nereid_operator_candidates(op, &given, 0, &buffer), NEREID_OK)
      << lastError();
  nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
  Json found = Json::parse(
      std::string(static_cast<const char *>(bytes.data), bytes.size));
  nereid_buffer_destroy(buffer);
  ASSERT_EQ(found["candidates"].size(), 2u);
  EXPECT_EQ(found["candidates"][0]["default"], true);
  EXPECT_EQ(found["candidates"][1]["choice"], Json({{"variant", "twice"}}));
}

TEST_F(CallTest, AMisalignedTensorIsAnotherCall) {
  Array<float> x({3}), out({3}), odd({3}, {}, 1);
  odd[2] = 5;
  ASSERT_EQ(
      operators->call(
          "scale", Call().input("x", x.tensor()).output("out", out.tensor())),
      "");
  ASSERT_EQ(
      operators->call(
          "scale", Call().input("x", odd.tensor()).output("out", out.tensor())),
      "");
  EXPECT_EQ(out[2], 5 * 2 + 1);
  ASSERT_EQ(source.requests.size(), 2u);
  EXPECT_EQ(source.requests[1]["arguments"][0]["hint"], "");
}

TEST_F(CallTest, AnAllocatorMakesTheOutputs) {
  struct Made {
    Array<float> memory{{3}};
    std::string name;
    std::vector<int64_t> shape;
    int calls = 0;
  } made;
  nereid_tensor_allocator_t allocator = {};
  allocator.struct_size = sizeof allocator;
  allocator.user = &made;
  allocator.allocate = [](void *user, nereid_string_t name,
                          const nereid_tensor_t *wanted,
                          nereid_tensor_t *out) -> nereid_status_t {
    Made &made = *static_cast<Made *>(user);
    made.name.assign(name.data, name.size);
    made.shape.assign(wanted->shape, wanted->shape + wanted->ndim);
    ++made.calls;
    EXPECT_EQ(wanted->type_bits, 32);
    EXPECT_EQ(wanted->type_code, 2);
    EXPECT_EQ(wanted->device_type, 1);
    out->data = made.memory.data();
    return NEREID_OK;
  };
  Array<float> x({3});
  x[2] = 4;
  Call call;
  call.input("x", x.tensor()).allocator(allocator);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(operators->call("scale", call), "");
  EXPECT_EQ(made.memory[2], 9);
  EXPECT_EQ(made.name, "out");
  EXPECT_EQ(made.shape, std::vector<int64_t>{3});
  EXPECT_EQ(made.calls, 2);
  allocator.allocate = [](void *, nereid_string_t, const nereid_tensor_t *,
                          nereid_tensor_t *) -> nereid_status_t {
    return NEREID_OUT_OF_RESOURCES;
  };
  EXPECT_EQ(operators->call("scale", call),
            "error: scale: the allocator failed for output 'out'");
}

TEST_F(CallTest, PreparingLaunchesNothing) {
  Array<float> x({3}), out({3});
  Call built;
  built.input("x", x.tensor()).output("out", out.tensor());
  nereid_operator_call_t call = built.get();
  nereid_operator_t *op = operators->find("scale");
  ASSERT_EQ(nereid_operator_prepare(op, &call), NEREID_OK) << lastError();
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(source.requests.size(), 1u);
  ASSERT_EQ(operators->call("scale", built), "");
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(source.requests.size(), 1u);
}

TEST_F(CallTest, AnEmptyTensorMakesNoKernel) {
  Array<float> x({0}), out({0});
  EXPECT_EQ(
      operators->call(
          "scale", Call().input("x", x.tensor()).output("out", out.tensor())),
      "");
  EXPECT_TRUE(source.requests.empty());
}

// ---------------------------------------------------------------- mistakes

TEST_F(CallTest, SuggestsTheNearestOperator) {
  std::string text = operators->call("scal", Call());
  EXPECT_NE(text.find("'scal'"), std::string::npos) << text;
  EXPECT_NE(text.find("did you mean 'scale'"), std::string::npos) << text;
}

TEST_F(CallTest, NamesWhatDoesNotFitTheSchema) {
  EXPECT_EQ(error([](nereid_tensor_t &x) { x.ndim = 0; }),
            "error: scale: x has 0 dimensions, expected 1 to 2");
  EXPECT_EQ(error([](nereid_tensor_t &x) { x.type_bits = 64; }),
            "error: scale: x is f64, expected f32");
  EXPECT_EQ(error([](nereid_tensor_t &x) { x.type_lanes = 4; }),
            "error: scale: x has elements of DLPack's type code 2 with 32 bits "
            "and 4 lanes, which operators do not have");
  EXPECT_EQ(error([](nereid_tensor_t &x) { x.device_type = 2; }),
            "error: scale: x is on cuda:0, expected cpu:0");
  EXPECT_EQ(error([](nereid_tensor_t &x) { x.ndim = 65; }),
            "error: scale: x has 65 dimensions, expected 0 to 64");
  EXPECT_TRUE(source.requests.empty());
}

TEST_F(CallTest, NamesWhatIsMissingUnknownOrTwice) {
  Array<float> x({4}), out({4});
  EXPECT_EQ(operators->call("scale", Call().output("out", out.tensor())),
            "error: scale: input 'x' is not given");
  EXPECT_EQ(operators->call("scale", Call().input("x", x.tensor())),
            "error: scale: output 'out' is not given, and there is no "
            "allocator");
  Call unknown;
  unknown.input("x", x.tensor()).input("y", x.tensor());
  std::string text = operators->call("scale", unknown);
  EXPECT_NE(text.find("scale: unknown input 'y'"), std::string::npos) << text;
  Call attribute;
  attribute.input("x", x.tensor()).attribute("scal", 1.0);
  text = operators->call("scale", attribute);
  EXPECT_NE(text.find("did you mean 'scale'"), std::string::npos) << text;
  Call twice;
  twice.input("x", x.tensor()).input("x", x.tensor());
  EXPECT_EQ(operators->call("scale", twice),
            "error: scale: 'x' is given twice");
  Call list;
  list.list("x", {x.tensor(), x.tensor()}).output("out", out.tensor());
  EXPECT_EQ(operators->call("scale", list),
            "error: scale: x is a list of 2 tensors, expected one tensor");
}

TEST_F(CallTest, ReadsNothingOfAnArrayWithoutItems) {
  Array<float> x({4});
  Call built;
  built.input("x", x.tensor());
  nereid_operator_call_t call = built.get();
  nereid_tensor_argument_t zeros = {};
  call.outputs = &zeros;
  EXPECT_EQ(nereid_operator_prepare(operators->find("scale"), &call), NEREID_OK)
      << lastError();
  call.output_count = 1;
  EXPECT_NE(nereid_operator_prepare(operators->find("scale"), &call),
            NEREID_OK);
  EXPECT_EQ(lastError(), "error: scale: struct_size of an argument is 0, "
                         "expected at least 32");
}

TEST_F(CallTest, NamesAnOutputOfTheWrongShape) {
  Array<float> x({4}), out({5});
  EXPECT_EQ(
      operators->call(
          "scale", Call().input("x", x.tensor()).output("out", out.tensor())),
      "error: scale: out is f32 [5], expected f32 [4]");
}

TEST_F(CallTest, AFailureOfTheProgramsOwnPythonIsPassedOn) {
  Array<float> x({4}), out({4});
  source.failure = "scale.py:3: not today";
  Call call;
  call.input("x", x.tensor()).output("out", out.tensor());
  EXPECT_EQ(operators->call("scale", call),
            "error: the program's callback made no kernel: scale.py:3: not "
            "today");
  // The next call tries again.
  source.failure.clear();
  EXPECT_EQ(operators->call("scale", call), "");
}
