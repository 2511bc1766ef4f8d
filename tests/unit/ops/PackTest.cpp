// PackTest.cpp - packs: how they are found, and what is wrong with them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "PackFixture.h"

#include <sys/stat.h>

using namespace nereid::ops;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {
class OpsPackTest : public PackFixture {};
} // namespace

static std::vector<std::string> labelsFor(const Packs &packs, const char *type,
                                          const char *arch,
                                          const char *compiler = "") {
  TargetFacts target;
  target.type = type;
  target.arch = arch;
  target.compiler = compiler;
  std::vector<std::string> labels;
  for (const Applied &applied : packs.layersFor(target))
    labels.push_back(applied.pack->labelOf(*applied.layer));
  return labels;
}

TEST_F(OpsPackTest, ReadsAPackWithoutProblems) {
  writePack("acme", "acme:*");
  Packs packs = findAll();
  EXPECT_THAT(messages(packs), IsEmpty());
  ASSERT_THAT(packs.packs(), SizeIs(1));
  const Operator &op =
      packs.packs()[0]->layers()[0].operators.find("scale")->second;
  EXPECT_THAT(op.variants, SizeIs(1));
  EXPECT_EQ(op.variants[0].steps[0].function, "scale");
  EXPECT_TRUE(op.variants[0].steps[0].isTuned);
}

TEST_F(OpsPackTest, VendorsHaveTheDefaultsOfFlagGems) {
  write("acme/vendor.yaml", "vendor_name: acme\ndevice_name: npu\n"
                            "targets: npu:*\n");
  Packs packs = findAll();
  EXPECT_THAT(messages(packs), IsEmpty());
  const Vendor &vendor = packs.packs()[0]->vendor();
  EXPECT_EQ(vendor.dispatchKey, "NPU");
  EXPECT_EQ(vendor.tritonExtraName, "npu");
}

TEST_F(OpsPackTest, DirectoriesArePacksFoldersOfPacksOrCheckouts) {
  writePack("one", "a:*");
  writePack("checkout/ops", "b:*");
  write("checkout/backend/name.conf", "b\n");
  writePack("many/x", "c:*");
  writePack("many/y", "d:*");
  Packs packs =
      find(folder + "/one;;" + folder + "/checkout;" + folder + "/many");
  EXPECT_THAT(messages(packs), IsEmpty());
  std::vector<std::string> found;
  for (const auto &pack : packs.packs())
    found.push_back(pack->directory().substr(folder.size() + 1));
  EXPECT_THAT(found, ElementsAre("one", "checkout/ops", "many/x", "many/y"));
}

TEST_F(OpsPackTest, ADirectoryThatIsNoneIsAProblem) {
  write("file", "");
  write("empty/readme", "");
  Packs packs = find("relative;" + folder + "/file;" + folder + "/a:" + folder +
                     "/b;" + folder + "/empty");
  EXPECT_THAT(
      messages(packs),
      ElementsAre("relative: the directory is relative, expected an "
                  "absolute path",
                  "file: not an archive of kernels: it does not start with "
                  "'nereidAR'",
                  HasSubstr("separated by ';', not by ':'"),
                  HasSubstr("empty: there is no vendor.yaml in it")));
}

TEST_F(OpsPackTest, AWritablePackIsRefused) {
  writePack("acme", "acme:*");
  ASSERT_EQ(chmod((folder + "/acme/ops/scale.py").c_str(), 0666), 0);
  PackSearch search;
  search.directories = folder + "/acme";
  search.hasInstalled = false;
  Packs packs = Packs::find(search);
  EXPECT_THAT(packs.packs(), IsEmpty());
  EXPECT_THAT(messages(packs),
              ElementsAre(HasSubstr("scale.py' has mode 0666")));
  ASSERT_EQ(chmod((folder + "/acme/ops/scale.py").c_str(), 0644), 0);
  EXPECT_THAT(Packs::find(search).packs(), SizeIs(1));
}

TEST_F(OpsPackTest, LayersGoFromTheUserToTheGenericPack) {
  writePack("generic", "*");
  writePack("acme", "acme:*", oneVariant,
            "architectures:\n"
            "  v3x: {match: ['v3x*'], parent: v3}\n"
            "  v3: {match: ['v3*']}\n");
  writeOperator("acme/arch/v3x", oneVariant);
  writeOperator("acme/arch/v3", oneVariant);
  writeOperator("acme/compiler/triton-3", oneVariant);
  writeOperator("acme/compiler/triton-3.6", oneVariant);
  writeOperator("user", oneVariant);
  PackSearch search;
  search.directories = folder + "/generic;" + folder + "/acme";
  search.user = folder + "/user";
  search.hasInstalled = false;
  search.allowsWritable = true;
  Packs packs = Packs::find(search);
  EXPECT_THAT(messages(packs), IsEmpty());
  EXPECT_THAT(labelsFor(packs, "cpu", "x"),
              ElementsAre("the user's pack", "the generic pack"));
  EXPECT_THAT(
      labelsFor(packs, "acme", "v4"),
      ElementsAre("the user's pack", "vendor 'acme'", "the generic pack"));
  EXPECT_THAT(labelsFor(packs, "acme", "v31"),
              ElementsAre("the user's pack",
                          "architecture 'v3' of vendor "
                          "'acme'",
                          "vendor 'acme'", "the generic pack"));
  EXPECT_THAT(labelsFor(packs, "acme", "v3x2", "triton-3.6.1"),
              ElementsAre("the user's pack",
                          "compiler 'triton-3.6' of vendor 'acme'",
                          "compiler 'triton-3' of vendor 'acme'",
                          "architecture 'v3x' of vendor 'acme'",
                          "architecture 'v3' of vendor 'acme'", "vendor 'acme'",
                          "the generic pack"));
}

TEST_F(OpsPackTest, TheFirstDirectoryIsTheHighestWithinALayer) {
  writePack("a", "acme:*");
  writePack("b", "acme:*");
  Packs packs = find(folder + "/b;" + folder + "/a");
  EXPECT_THAT(labelsFor(packs, "acme", ""),
              ElementsAre("vendor 'b'", "vendor 'a'"));
}

TEST_F(OpsPackTest, AnotherSchemaIsRefusedTheGenericOneStays) {
  writePack("acme", "acme:*");
  writePack("generic", "*");
  std::string text = std::string(schema) + oneVariant;
  text.replace(text.find("rank: [0, 2]"), 12, "rank: [0, 3]");
  write("acme/ops/scale.yaml", text);
  Packs packs = findAll();
  EXPECT_THAT(
      messages(packs),
      ElementsAre("acme/ops/scale.yaml:1:1: operator 'scale' has another "
                  "schema than that of generic/ops/scale.yaml: input is "
                  "{\"name\":\"x\",\"dtype\":[\"f16\",\"f32\"],\"rank\":[0,3],"
                  "\"optional\":false,\"list\":false}, expected "
                  "{\"name\":\"x\",\"dtype\":[\"f16\",\"f32\"],\"rank\":[0,2],"
                  "\"optional\":false,\"list\":false}"));
  EXPECT_THAT(packs.packs()[0]->layers()[0].operators, IsEmpty());
  EXPECT_THAT(packs.operatorNames(), ElementsAre("scale"));
}

TEST_F(OpsPackTest, OfGenericPacksTheLastDirectoryHasTheSchema) {
  writePack("installed", "*");
  writePack("mine", "*");
  std::string text = std::string(schema) + oneVariant;
  text.replace(text.find("rank: [0, 2]"), 12, "rank: [0, 3]");
  write("mine/ops/scale.yaml", text);
  Packs packs = find(folder + "/mine;" + folder + "/installed");
  EXPECT_THAT(
      messages(packs),
      ElementsAre(HasSubstr("mine/ops/scale.yaml:1:1: operator 'scale' has "
                            "another schema than that of installed/")));
  EXPECT_THAT(packs.packs()[1]->layers()[0].operators, SizeIs(1));
}

TEST_F(OpsPackTest, ProblemsOfVendorYamlNameTheLine) {
  const std::pair<const char *, const char *> cases[] = {
      {"vendor_nam: acme\ntargets: a\n",
       "acme/vendor.yaml:1:1: unknown key 'vendor_nam'; did you mean "
       "'vendor_name'"},
      {"vendor_name: acme\n", "acme/vendor.yaml:1:1: the vendor has no "
                              "'targets'"},
      {"vendor_name: 3\ntargets: a\n",
       "acme/vendor.yaml:1:14: 'vendor_name' of the vendor is an integer, "
       "expected a string"},
      {"vendor_name: acme\ntargets: a\ndtypes: {bf61: false}\n",
       "acme/vendor.yaml:3:10: unknown type 'bf61'; did you mean 'bf16'"},
      {"vendor_name: acme\ntargets: a\ndisabled: {add: ''}\n",
       "acme/vendor.yaml:3:17: 'add' is disabled without a reason"},
      {"vendor_name: acme\ntargets: a\narchitectures: {v1: [[x]]}\n",
       "acme/vendor.yaml:3:22: architecture 'v1' has a list, expected "
       "patterns"},
      {"vendor_name: acme\ntargets: a\narchitectures: {v1: {match: x, parent: "
       "v0}}\n",
       "acme/vendor.yaml:3:1: 'parent' of 'v1': unknown architecture 'v0'; did "
       "you mean 'v1'"},
      {"vendor_name: acme\ntargets: a\narchitectures: {a: {match: x, parent: "
       "b}, b: {match: y, parent: a}}\n",
       "architecture 'a' is its own parent"},
      {"vendor_name: [acme\n", "acme/vendor.yaml:2:1: did not find expected"},
  };
  for (const auto &[text, expected] : cases) {
    write("acme/vendor.yaml", text);
    Packs packs = findAll();
    EXPECT_THAT(messages(packs), Contains(HasSubstr(expected))) << text;
    EXPECT_THAT(packs.packs(), IsEmpty()) << text;
  }
}

TEST_F(OpsPackTest, AnArchitectureThatIsNotDeclaredIsAProblem) {
  writePack("acme", "acme:*", oneVariant, "architectures: {hopper: ['9*']}\n");
  writeOperator("acme/arch/hoper", oneVariant);
  EXPECT_THAT(messages(findAll()),
              ElementsAre(HasSubstr("acme/arch/hoper: unknown architecture "
                                    "'hoper'; did you mean 'hopper'")));
}

TEST_F(OpsPackTest, ProblemsOfOperatorsNameTheLineAndTheNearestName) {
  struct Case {
    const char *find, *replace, *expected;
  };
  const Case cases[] = {
      {"operator: scale", "operater: scale",
       "scale.yaml:1:1: unknown key 'operater'; did you mean 'operator'"},
      {"dtype: [f16, f32]", "dtype: [f16, f23]",
       "scale.yaml:4:22: unknown type 'f23'"},
      {"rank: [0, 2]", "rank: [2, 0]",
       "scale.yaml:4:34: 'rank' of 'x' is not a number or [least, most]"},
      {"type: float, default: 2.0", "type: float, default: 1e-5",
       "scale.yaml:7:36: the default of 'factor' is a string, expected float"},
      {"type: int", "type: integer", "scale.yaml:8:17: unknown type 'integer'"},
      {"n: x.numel", "n: x.nmuel",
       "scale.yaml:12:6: expression 'x.nmuel', column 1: tensor 'x' has no "
       "attribute 'nmuel'; did you mean 'numel'"},
      {"n: x.numel", "n: m\n  m: n", "'let' needs itself: n -> m -> n"},
      {"n: x.numel", "x: 1\n  n: 2",
       "scale.yaml:12:6: 'let' defines 'x', which is the name of an input"},
      {"empty: n == 0", "empty: size == 0",
       "scale.yaml:15:8: expression 'size == 0', column 1: unknown name "
       "'size'"},
      {"of {x.shape}", "of {x.shap}", "tensor 'x' has no attribute 'shap'"},
      {"of {x.shape}", "of {x.shape", "the message has a '{' without '}'"},
      {"  dim < 2:", "  out.rank < 2:",
       "scale.yaml:14:3: expression 'out.rank < 2', column 1: unknown name "
       "'out'"},
      {"let:\n", "let:\n  on: 1\n",
       "scale.yaml:12:3: the key 'on' is a boolean in YAML, expected a string; "
       "write \"on\""},
      {"empty:", "off:", "scale.yaml:15:1: the key 'off' is a boolean in YAML"},
      {"key: {n: log2}", "key: {n: log3}",
       "scale.yaml:16:10: unknown strategy 'log3'; did you mean 'log2'"},
      {"key: {n: log2}", "key: {n: [2, 1]}",
       "scale.yaml:16:14: the bins of 'n' are not ascending numbers"},
      {"key: {n: log2}", "key: {z: log2}", "'key': unknown name 'z'"},
      {"kernel: scale.py:scale", "kernel: scale.py:scael",
       "scale.yaml:19:13: unknown kernel 'scael'; did you mean 'scale'"},
      {"kernel: scale.py:scale", "kernel: scal.py:scale",
       "scal.py: no such file or directory"},
      {"kernel: scale.py:scale", "kernel: ../scale.py:scale",
       "scale.yaml:19:13: the kernel is '../scale.py:scale', expected "
       "FILE.py:FUNCTION"},
      {"factor: factor}", "facter: factor}",
       "scale.yaml:20:47: kernel 'scale' has no parameter 'facter'; did you "
       "mean 'factor'"},
      {", factor: factor}", "}",
       "parameter 'factor' of kernel 'scale' is not given"},
      {"constants: {BLOCK:", "constants: {n: 1, BLOCK:",
       "parameter 'n' of kernel 'scale' is not a constexpr, expected in "
       "'arguments'"},
      {"n: n, factor", "n: n, WIDE: True, factor",
       "parameter 'WIDE' of kernel 'scale' is a constexpr, expected in "
       "'constants'"},
      {"constants: {BLOCK: 'min(tile", "constants: {BLOCK: 'min(tlie",
       "unknown name 'tlie'; did you mean 'tile'"},
      {"grid: ['cdiv(n, BLOCK)']", "grid: 4", "'grid' is not a list of one"},
      {"grid: ['cdiv(n, BLOCK)']", "grid: ['cdiv(n, BLOCK']", "expected ','"},
      {"    tune: scale\n", "    tune: scale\n    wen: n > 1\n",
       "unknown key 'wen'; did you mean 'when'"},
      {"variants:", "variant:",
       "unknown key 'variant'; did you mean "
       "'variants'"},
      {"let: {tile: 1024}", "let: {tile: 1024}\n    steps: []",
       "'steps' is empty"},
  };
  writePack("acme", "acme:*");
  for (const Case &one : cases) {
    std::string text = std::string(schema) + oneVariant;
    size_t at = text.find(one.find);
    ASSERT_NE(at, text.npos) << one.find;
    write("acme/ops/scale.yaml",
          text.replace(at, std::string_view(one.find).size(), one.replace));
    Packs packs = findAll();
    EXPECT_THAT(messages(packs), Contains(HasSubstr(one.expected)))
        << one.replace;
    EXPECT_THAT(packs.operatorNames(), IsEmpty()) << one.replace;
  }
}

TEST_F(OpsPackTest, AVariantIsThereOnce) {
  writePack("acme", "acme:*");
  std::string second(oneVariant);
  write("acme/ops/scale.yaml", std::string(schema) + oneVariant +
                                   second.substr(second.find('\n') + 1));
  EXPECT_THAT(messages(findAll()),
              ElementsAre(HasSubstr("scale.yaml:25:5: the variant 'only' is "
                                    "there twice, first in line 18")));
}

TEST_F(OpsPackTest, ABadOperatorLeavesTheOthers) {
  writePack("acme", "acme:*");
  write("acme/ops/bad.yaml", "operator: [\n");
  Packs packs = findAll();
  EXPECT_THAT(messages(packs), ElementsAre(HasSubstr("acme/ops/bad.yaml:2:1")));
  EXPECT_THAT(packs.operatorNames(), ElementsAre("scale"));
}

TEST_F(OpsPackTest, ConfigurationsSetConstantsOfTheKernel) {
  writePack("acme", "acme:*");
  write("acme/tune_configs.yaml", "scale:\n- META: {BLOK: 16}\n");
  EXPECT_THAT(messages(findAll()),
              ElementsAre(HasSubstr("acme/tune_configs.yaml:2:1: unknown "
                                    "constant 'BLOK'; did you mean 'BLOCK', "
                                    "of variant 'only' of 'scale'")));
  write("acme/tune_configs.yaml", "scale:\n- META: {BLOCK: 16}\n");
  EXPECT_THAT(messages(findAll()), IsEmpty());
}

TEST(OpsKernelsTest, ReadsSignaturesAsPythonDoes) {
  KernelFunctions functions =
      functionsOf("'''\ndef not_this(a):\n'''\n"
                  "def plain(a, b): pass\n"
                  "    def inner(c): pass\n"
                  "def typed(a: tl.tensor, B: tl.constexpr, C: 'tl.constexpr' "
                  "= (1, 2), *, d=\"x,y)\",):\n"
                  "def open(a, *rest, **named): pass\n"
                  "def empty(): pass\n"
                  "async def other(x): pass\n"
                  "def cut(a, b");
  auto text = [&](const char *name) {
    std::string text;
    for (const Parameter &parameter : functions.at(name).parameters)
      text += (text.empty() ? "" : " ") + parameter.name +
              (parameter.isConstant ? "!" : "") +
              (parameter.hasDefault ? "=" : "");
    return text;
  };
  EXPECT_EQ(text("plain"), "a b");
  EXPECT_EQ(text("typed"), "a B! C!= d=");
  EXPECT_EQ(text("open"), "a");
  EXPECT_TRUE(functions.at("open").isOpen);
  EXPECT_FALSE(functions.at("typed").isOpen);
  EXPECT_EQ(text("empty"), "");
  EXPECT_EQ(text("cut"), "a b");
  EXPECT_EQ(functions.size(), 5u);
}
