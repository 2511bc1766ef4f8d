// PackArchiveTest.cpp - a pack built into an archive: called without Python,
// without a compiler and without the pack's directory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ShiftPack.h"

#include "store/Exchange.h"
#include "store/Origin.h"

#include <gmock/gmock.h>

using namespace nereid::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {
class PackArchiveTest : public ShiftPack {
protected:
  static std::string take(nereid_buffer_t *buffer) {
    nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
    std::string text(static_cast<const char *>(bytes.data), bytes.size);
    nereid_buffer_destroy(buffer);
    return text;
  }

  /// The pack's kernels for `calls`, as nereid_ops_pack_kernels() has them.
  Json kernelsFor(Operators &with, const std::string &calls) {
    nereid_target_t target = {};
    target.struct_size = sizeof target;
    EXPECT_EQ(nereid_backend_target(with.backend, 0, &target), NEREID_OK);
    nereid_ops_target_t facts = {};
    facts.struct_size = sizeof facts;
    facts.device_type = target.backend;
    facts.arch = target.arch;
    std::string directory = folder + "/pack";
    nereid_ops_pack_request_t request = {};
    request.struct_size = sizeof request;
    request.directory = borrow(directory);
    request.target = &facts;
    request.calls = borrow(calls);
    request.calls_name = borrow("calls.yaml");
    request.kernels = &source.source;
    nereid_buffer_t *buffer = nullptr;
    if (nereid_ops_pack_kernels(&request, &buffer))
      return lastError();
    return Json::parse(take(buffer));
  }

  /// Builds the archive, as `nereid build` does.
  void build(const std::string &calls) {
    Operators with({folder + "/pack", "", "", &source.source});
    Json made = kernelsFor(with, calls);
    ASSERT_TRUE(made.is_object()) << made;
    EXPECT_THAT(made["failures"], IsEmpty());
    nereid_archive_writer_t *writer = nullptr;
    ASSERT_EQ(nereid_archive_writer_create(&writer), NEREID_OK);
    for (const Json &kernel : made["kernels"])
      addKernel(with, writer, kernel);
    nereid_buffer_t *buffer = nullptr;
    ASSERT_EQ(nereid_ops_pack_model(borrow(folder + "/pack"), &buffer),
              NEREID_OK)
        << lastError();
    addFile(writer, "pack.json", take(buffer));
    auto origin = nereid::ops::originOf(with.backend, 0);
    ASSERT_TRUE(origin) << origin.failure().text;
    addFile(writer, "compilers.json",
            Json::array({{{"device_type", "cpu"},
                          {"id", origin->compiler.plugin},
                          {"version", origin->compiler.release},
                          {"build_id", origin->compiler.build},
                          {"dependencies", origin->compiler.dependencies}}})
                .dump());
    ASSERT_EQ(nereid_archive_writer_finish(writer, 0, &buffer), NEREID_OK)
        << lastError();
    std::ofstream(archive(), std::ios::binary) << take(buffer);
    nereid_archive_writer_destroy(writer);
    fs::remove_all(folder + "/pack");
    source.made.clear();
  }
  std::string archive() const { return folder + "/pack.nra"; }

  /// With the driver alone, or with its compiler too.
  std::unique_ptr<Operators> open(bool hasCompiler = false) {
    Operators::Options options;
    options.packs = archive();
    options.kernels = &source.source;
    options.tuning = "use";
    options.store = folder + "/none.db";
    if (!hasCompiler) {
      fs::create_directories(folder + "/plugins");
      std::error_code exists;
      fs::copy_file(fs::path(PLUGIN_DIR) / "cpu.so", folder + "/plugins/cpu.so",
                    exists);
      options.plugins = folder + "/plugins";
    }
    return std::make_unique<Operators>(options);
  }

  static constexpr const char *oneCall =
      "- {operator: shift, inputs: {x: {shape: [16], dtype: f32}}}\n";

private:
  static void addFile(nereid_archive_writer_t *writer, std::string_view name,
                      const std::string &bytes) {
    ASSERT_EQ(nereid_archive_writer_add_file(writer, borrow(name),
                                             {bytes.data(), bytes.size()}),
              NEREID_OK)
        << lastError();
  }
  static void addKernel(Operators &with, nereid_archive_writer_t *writer,
                        const Json &kernel) {
    std::string name = kernel["name"], ttir = kernel["ttir"];
    std::vector<std::string> names = kernel["arguments"];
    std::vector<nereid_argument_t> arguments;
    std::vector<uint32_t> parameters;
    for (const std::string &each : names) {
      parameters.push_back(static_cast<uint32_t>(arguments.size()));
      arguments.push_back(
          {sizeof(nereid_argument_t), 0, 0, 0, borrow(each), borrow("*f32")});
    }
    nereid_archive_new_kernel_t request = {};
    request.struct_size = sizeof request;
    request.name = request.group = borrow(name);
    request.arguments = arguments.data();
    request.argument_count = arguments.size();
    ASSERT_EQ(nereid_archive_writer_add_kernel(writer, &request), NEREID_OK)
        << lastError();
    nereid_archive_new_variant_t variant = {};
    variant.struct_size = sizeof variant;
    variant.kernel = borrow(name);
    variant.parameters = parameters.data();
    variant.parameter_count = parameters.size();
    variant.ttir = {ttir.data(), ttir.size()};
    ASSERT_EQ(nereid_archive_writer_add_variant(writer, &variant), NEREID_OK)
        << lastError();
    nereid_compile_request_t compile = {};
    compile.struct_size = sizeof compile;
    compile.source = {ttir.data(), ttir.size()};
    compile.source_name = borrow(name);
    nereid_artifact_t *artifact = nullptr;
    ASSERT_EQ(nereid_compile(with.backend, &compile, &artifact), NEREID_OK)
        << lastError();
    nereid_target_t target = {};
    target.struct_size = sizeof target;
    ASSERT_EQ(nereid_backend_target(with.backend, 0, &target), NEREID_OK);
    ASSERT_EQ(nereid_archive_writer_add_image(writer, borrow(name), 0, &target,
                                              artifact),
              NEREID_OK)
        << lastError();
    nereid_artifact_destroy(artifact);
  }
};
} // namespace

TEST_F(PackArchiveTest, ACallNeedsNeitherPythonNorACompiler) {
  build(oneCall);
  auto operators = open();
  EXPECT_EQ(added(*operators), "1");
  EXPECT_THAT(source.made, IsEmpty());
}

TEST_F(PackArchiveTest, WhatItWasNotBuiltForIsOneClearError) {
  build("[]");
  EXPECT_THAT(added(*open()),
              AllOf(HasSubstr(archive() + ": it was not built for "
                                          "shift.py:shift with these types and "
                                          "constants"),
                    HasSubstr("note: it cannot be made here: ")));
}

TEST_F(PackArchiveTest, WithACompilerWhatIsMissingIsMade) {
  build("[]");
  EXPECT_EQ(added(*open(true)), "1");
  EXPECT_THAT(source.made, testing::ElementsAre(1));
}

TEST_F(PackArchiveTest, ItsTunedResultsDecideWithoutACompilerToo) {
  nereid::ops::TunedResult row;
  {
    Operators with({folder + "/pack", "", "", &source.source});
    auto origin = nereid::ops::originOf(with.backend, 0);
    ASSERT_TRUE(origin) << origin.failure().text;
    row.compiler = origin->compiler;
    row.device = origin->device;
  }
  row.operatorName = "shift";
  row.key = row.bucket = R"({"n":16,"x":"f32"})";
  row.variant = "plain";
  row.configuration = R"({"ADD":3})";
  row.status = "ok";
  row.median = 10;
  row.samples = 9;
  row.protocol = "test";
  row.note = R"({"inputs": {"x": {"shape": [16], "dtype": "f32"}}})";
  write("tuned/here.json", nereid::ops::exportResults({row}, "json")->text);
  build("[]");
  EXPECT_EQ(added(*open()), "3");
  EXPECT_THAT(source.made, IsEmpty());
}

TEST_F(PackArchiveTest, AResultsConfigurationIsBuiltForCallsOfItsKey) {
  nereid::ops::TunedResult row;
  {
    Operators with({folder + "/pack", "", "", &source.source});
    row.device = nereid::ops::originOf(with.backend, 0)->device;
  }
  row.operatorName = "shift";
  row.key = row.bucket = R"({"n":16,"x":"f32"})";
  row.variant = "plain";
  row.configuration = R"({"ADD":4})";
  row.status = "ok";
  row.median = 10;
  row.samples = 9;
  row.protocol = "test";
  write("tuned/here.json", nereid::ops::exportResults({row}, "json")->text);
  build(oneCall);
  // Its compiler is another one, so it does not decide, but it could.
  EXPECT_EQ(added(*open()), "1");
  EXPECT_THAT(source.made, IsEmpty());
}

TEST_F(PackArchiveTest, CallsThatCannotBePlannedAreFailuresWithTheirLine) {
  Operators with({folder + "/pack", "", "", &source.source});
  Json made = kernelsFor(
      with, std::string(oneCall) +
                "- {operator: shift, inputs: {x: {shape: [4], dtype: i8}}}\n");
  ASSERT_EQ(made["kernels"].size(), 1u);
  ASSERT_EQ(made["failures"].size(), 1u);
  EXPECT_THAT(made["failures"][0].value("text", ""),
              HasSubstr("calls.yaml:2: shift: x is i8, expected f32"));
  EXPECT_THAT(kernelsFor(with, "- {inputs: {}}\n").get<std::string>(),
              HasSubstr("calls.yaml:1:3: expected a call with an 'operator'"));
}

TEST_F(PackArchiveTest, AnArchiveWithoutAPackIsAProblem) {
  nereid_archive_writer_t *writer = nullptr;
  ASSERT_EQ(nereid_archive_writer_create(&writer), NEREID_OK);
  nereid_buffer_t *buffer = nullptr;
  ASSERT_EQ(nereid_archive_writer_finish(writer, 0, &buffer), NEREID_OK);
  std::ofstream(archive(), std::ios::binary) << take(buffer);
  nereid_archive_writer_destroy(writer);
  auto operators = open(true);
  ASSERT_EQ(nereid_ops_report(operators->ops, &buffer), NEREID_OK);
  Json report = Json::parse(take(buffer));
  EXPECT_EQ(report["problems"][0].value("file", ""), archive());
  EXPECT_THAT(report["problems"][0].value("text", ""),
              HasSubstr("the archive has no pack"));
}
