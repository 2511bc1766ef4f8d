// ExchangeTest.cpp - files of tuned results, our own and those of others.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "StoreFixture.h"

#include "store/Exchange.h"
#include "store/JsonTree.h"

#include <nlohmann/json.hpp>

using namespace nereid::ops;
using testing::HasSubstr;

static std::string exported(const std::vector<TunedResult> &results,
                            std::string_view format) {
  auto text = exportResults(results, format);
  return text ? text->text : text.failure().text;
}

static std::vector<TunedResult> imported(std::string_view text,
                                         std::string_view format = {}) {
  auto results = importResults(text, format, "file");
  EXPECT_TRUE(results) << results.failure().text;
  return results ? *results : std::vector<TunedResult>();
}

static std::string importError(std::string_view text,
                               std::string_view format = {}) {
  auto results = importResults(text, format, "file");
  return results ? "imported " + std::to_string(results->size())
                 : results.failure().text;
}

// ------------------------------------------------------------------- our JSON

TEST(ExchangeTest, OurJsonKeepsEveryField) {
  TunedResult result = resultOf(7, 1234.567890123);
  result.bucket = R"({"n":8})";
  result.isDefault = true;
  result.status = "failed";
  result.note = "line 1\nline \"2\" \xc3\xa4";
  std::string text = exported({result, resultOf(8)}, "json");
  std::vector<TunedResult> again = imported(text);
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(checksumOf(again[0]), checksumOf(result));
  EXPECT_EQ(exported(again, "json"), text);
  EXPECT_NO_THROW((void)nlohmann::json::parse(text));
  EXPECT_EQ(imported(exported({}, "json")).size(), 0u);
}

static std::string document(const std::string &rows) {
  return "{\"format\": \"nereid-tuned-results\",\n \"version\": 1,\n "
         "\"results\": [\n" +
         rows + "]}";
}

TEST(ExchangeTest, MembersThatAreNotNeededMayBeMissing) {
  std::vector<TunedResult> results = imported(document(
      R"({"operator": "add", "key_exact": {"n": 1.0}, "configuration": {},
          "status": "ok"})"));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].key, R"({"n":1})");
  EXPECT_EQ(results[0].bucket, R"({"n":1})");
}

TEST(ExchangeTest, EveryMistakeIsReportedWithItsLine) {
  std::string error = importError(document(
      "{\"operator\": \"add\", \"key_exact\": {}, \"configuration\": {},\n"
      " \"status\": \"fine\"},\n"
      "{\"operator\": 1, \"key_exact\": {}, \"configuration\": {},\n"
      " \"medain_ns\": 3,\n"
      " \"samples\": 1.5,\n"
      " \"status\": \"ok\"},\n"
      "{\"operator\": \"add\", \"key_exact\": \"{}\", \"configuration\": {}},\n"
      "7\n"));
  EXPECT_EQ(error,
            "file: line 4: status is 'fine', expected one of 'ok', 'wrong', "
            "'failed', 'crashed', 'slow', 'wanted'\n"
            "file: line 6: 'operator' is not a string\n"
            "file: line 8: 'samples' is not an integer\n"
            "file: line 7: unknown member 'medain_ns'; did you mean "
            "'median_ns'\n"
            "file: line 10: 'key_exact' is not an object\n"
            "file: line 10: a result without 'status'\n"
            "file: line 12: expected a result, an object");
}

TEST(ExchangeTest, ManyMistakesAreCut) {
  std::string rows = "1";
  for (int i = 0; i < 99; ++i)
    rows += ",\n1";
  std::string error = importError(document(rows));
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 20);
  EXPECT_THAT(error, HasSubstr("\nnote: 80 more"));
}

TEST(ExchangeTest, BrokenJsonIsReportedWithItsLine) {
  EXPECT_EQ(importError("{\n\n \"a\": ]"), "file: line 3: not JSON at ']'");
  EXPECT_EQ(importError("{\n\"a\": 1,\n\"a\": 2}"),
            "file: line 3: 'a' is there twice");
  EXPECT_EQ(importError("{\"a\":\n"), "file: line 2: the JSON ends too early");
  EXPECT_EQ(importError(std::string(100, '[')),
            "file: line 1: nested deeper than 32 levels");
  EXPECT_EQ(importError("{}"),
            "file: line 1: expected an object with \"format\": "
            "\"nereid-tuned-results\"");
  EXPECT_EQ(importError("{\"format\": \"nereid-tuned-results\",\n\"version\": "
                        "2, \"results\": []}"),
            "file: line 2: \"version\" is not 1, the one that this Nereid "
            "reads");
  EXPECT_THAT(importError("{}", "jsn"),
              HasSubstr("unknown format 'jsn'; did you mean 'json'"));
}

TEST(ExchangeTest, TheTreeHasTheLineOfEachMember) {
  auto tree = parseJsonTree("{\"a\": 1,\n\"b\": [true,\n {\"c\": null}],\n"
                            "\"d\"\n:\n\"x\"}");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->find("a")->line, 1u);
  EXPECT_EQ(tree->find("b")->line, 2u);
  EXPECT_EQ(tree->find("b")->items[1].line, 3u);
  EXPECT_EQ(tree->find("d")->line, 4u);
  EXPECT_EQ(tree->value().dump(), R"({"a":1,"b":[true,{"c":null}],"d":"x"})");
}

// --------------------------------------------------------------- ONNX Runtime

static constexpr const char *ortFile = R"([
  {
    "ep": "ROCMExecutionProvider",
    "results": {
      "onnxruntime::rocm::tunable::GemmTunableOp<half, RowMajor, ColMajor>": {
        "NN_992_4096_4096": 300,
        "NN_1_4096_4096": 0
      },
      "SoftmaxTunableOp": {
        "1_32_512": 12
      }
    },
    "validators": {
      "DEVICE_MODEL": "AMD Instinct MI250X/MI250",
      "ORT_BUILD_CONFIG": "USE_CK=1|USE_ROCBLAS_EXTENSION_API=1|",
      "ORT_GIT_COMMIT": "0a1b2c",
      "ORT_VERSION": "1.16.0",
      "ROCM_VERSION": "50600"
    }
  },
  {
    "ep": "CUDAExecutionProvider",
    "results": {
      "SoftmaxTunableOp": {
        "1_32_512": 3
      }
    },
    "validators": {
      "ORT_VERSION": "1.16.0"
    }
  }
]
)";

TEST(ExchangeTest, FilesOfOnnxRuntimeComeBackEqual) {
  std::vector<TunedResult> results = imported(ortFile);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].key, R"({"params":"NN_992_4096_4096"})");
  EXPECT_EQ(results[0].configuration, R"({"solution":300})");
  EXPECT_EQ(results[0].compiler.plugin, "onnxruntime");
  EXPECT_EQ(results[0].compiler.release, "1.16.0");
  EXPECT_EQ(results[0].device.name, "AMD Instinct MI250X/MI250");
  EXPECT_EQ(results[0].median, 0);
  EXPECT_NE(results[2].identity(), results[3].identity());
  EXPECT_EQ(nlohmann::json::parse(exported(results, "ort")),
            nlohmann::json::parse(
                R"([)" + nlohmann::json::parse(ortFile)[1].dump() + "," +
                nlohmann::json::parse(ortFile)[0].dump() + "]"));
}

TEST(ExchangeTest, ResultsOfOthersAreForeignToEveryCompiler) {
  for (const TunedResult &result : imported(ortFile))
    EXPECT_EQ(trustOf(result, resultOf(1).compiler, resultOf(1).device),
              Trust::Foreign);
}

TEST(ExchangeTest, MistakesInAFileOfOnnxRuntimeHaveLines) {
  EXPECT_EQ(importError("[\n{\"validators\": {}, \"results\": {}}]"),
            "file: line 2: 'ep', the execution provider, is missing");
  EXPECT_EQ(importError("[{\"ep\": \"E\",\n\"validators\": {\"V\": 1},\n"
                        "\"results\": {\"Op\":\n{\"p\": \"x\"},\n\"O\": 1}}]"),
            "file: line 2: validator 'V' is not a string\n"
            "file: line 4: 'p' is not the number of a kernel\n"
            "file: line 5: 'O' is not an object");
  EXPECT_EQ(importError("[7]"),
            "file: line 1: 'ep', the execution provider, is missing");
}

// -------------------------------------------------------------------- PyTorch

static constexpr const char *pytorchFile =
    "Validator,GCN_ARCH_NAME,gfx942:sramecc+:xnack-\n"
    "Validator,PT_VERSION,2.6.0\n"
    "Validator,ROCM_VERSION,6.0.0.0-12969-1544e39\n"
    "GemmTunableOp_float_TN,tn_64_64_64,Default,0.00123457\n"
    "GemmTunableOp_float_NT,nt_25088_4096_64,Gemm_Hipblaslt_1219,1.262\n"
    "GemmTunableOp_float_NT,nt_4096_4096_64,Gemm_Rocblas_1216,27.5,"
    "BLAS_PARAMS: - { function: matmul, M: 4096, N: 4096 }\n";

TEST(ExchangeTest, FilesOfPytorchComeBackEqual) {
  std::vector<TunedResult> results = imported(pytorchFile);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[1].operatorName, "GemmTunableOp_float_NT");
  EXPECT_EQ(results[1].key, R"({"params":"nt_25088_4096_64"})");
  EXPECT_EQ(results[1].configuration, R"({"solution":"Gemm_Hipblaslt_1219"})");
  EXPECT_DOUBLE_EQ(results[1].median, 1262000);
  EXPECT_EQ(results[1].device.architecture, "gfx942:sramecc+:xnack-");
  EXPECT_EQ(exported(results, "pytorch"), pytorchFile);
}

TEST(ExchangeTest, OldAndForeignLinesOfPytorchAreUnderstood) {
  std::vector<TunedResult> results =
      imported("Validator,PT_VERSION,2.3.0\r\n\r\nOp,p,Solution\r\n");
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].median, 0);
  EXPECT_EQ(results[0].compiler.release, "2.3.0");
  EXPECT_TRUE(imported("").empty());
}

TEST(ExchangeTest, LinesOfPytorchAreInOneOrder) {
  // Longer than what std::sort inserts: lines that differ by the last field
  // alone, and by less of their times than is written.
  std::vector<TunedResult> results;
  for (int number = 0; number < 20; ++number)
    for (const char *line :
         {"Gemm,n,S,0.5,a\n", "Gemm,n,S,0.50000000001,b\n",
          "Gemm,m,S,0.50000000002\n", "Gemm,n,S,1e-10\n", "Gemm,m,S,0\n"})
      results.push_back(imported(line, "pytorch").front());
  std::string text = exported(results, "pytorch");
  EXPECT_EQ(exported(imported(text, "pytorch"), "pytorch"), text);
  std::reverse(results.begin(), results.end());
  EXPECT_EQ(exported(results, "pytorch"), text);
}

TEST(ExchangeTest, MistakesInAFileOfPytorchHaveLines) {
  EXPECT_EQ(importError("Validator,PT_VERSION\n"
                        "Op,p\n"
                        "Op,p,S,fast\n"
                        "Op,p,S,-1\n"
                        "Op,p,S,inf\n"
                        "Op,,S,1\n"
                        "Op,\xff,S,1\n"
                        "Validator,A,1\nValidator,A,2\n"),
            "file: line 1: expected 'Validator,name,value'\n"
            "file: line 9: validator 'A' is there twice\n"
            "file: line 2: expected 'operator,parameters,solution,"
            "milliseconds'\n"
            "file: line 3: 'fast' is not a time in milliseconds\n"
            "file: line 4: '-1' is not a time in milliseconds\n"
            "file: line 5: 'inf' is not a time in milliseconds\n"
            "file: line 6: expected 'operator,parameters,solution,"
            "milliseconds'\n"
            "file: line 7: not UTF-8 text");
}

TEST(ExchangeTest, AFormatGetsOnlyWhatItCanHold) {
  std::vector<TunedResult> all = imported(ortFile);
  for (const TunedResult &result : imported(pytorchFile))
    all.push_back(result);
  all.push_back(resultOf(1));
  // The same parameters again, slower.
  TunedResult slower = imported(pytorchFile)[1];
  slower.configuration = R"({"solution":"Gemm_Rocblas_1"})";
  slower.median *= 2;
  all.push_back(slower);
  auto pytorch = exportResults(all, "pytorch");
  ASSERT_TRUE(pytorch);
  EXPECT_EQ(pytorch->written, 4u);
  EXPECT_EQ(pytorch->leftOut, 5u);
  // PyTorch takes the first line of a parameter set.
  EXPECT_LT(pytorch->text.find("Gemm_Hipblaslt_1219"),
            pytorch->text.find("Gemm_Rocblas_1,"));
  auto ort = exportResults(all, "ort");
  ASSERT_TRUE(ort);
  EXPECT_EQ(ort->written, 4u);
  EXPECT_EQ(ort->leftOut, 5u);
}

TEST(ExchangeTest, ValidatorsThatDifferDoNotGetMixed) {
  std::vector<TunedResult> all = imported(pytorchFile);
  all.push_back(imported("Validator,PT_VERSION,2.3.0\nOp,p,S,1\n")[0]);
  EXPECT_THAT(exported(all, "pytorch"),
              HasSubstr("results of 2 different sets of validators do not fit "
                        "into one file of PyTorch"));
}
