// PackModelTest.cpp - a pack as one JSON text: what is read from it is what the
// directory has, and nothing malformed is read.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "PackFixture.h"

#include "select/Describe.h"
#include "support/Json.h"

using namespace nereid::ops;
using nereid::host::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {
class PackModelTest : public PackFixture {
protected:
  static std::string modelOf(const std::string &directory) {
    Result<std::string> model = ModelFiles::write(directory);
    EXPECT_TRUE(model) << model.failure().text;
    return model ? *model : "";
  }
  /// Everything that is shown of packs, as if they were in `/pack`.
  static std::string shown(const Packs &packs, const std::string &place) {
    Json all = reportOf(packs);
    for (const std::string &name : packs.operatorNames())
      all["operators"][name] = *showOperator(packs, name);
    std::string text = all.dump(1);
    for (size_t at; (at = text.find(place)) != text.npos;)
      text.replace(at, place.size(), "/pack");
    return text;
  }
  static Packs packsOf(const std::string &model) {
    std::vector<Problem> problems;
    auto files = ModelFiles::read(model, "/archive.nra");
    EXPECT_TRUE(files) << files.failure().text;
    std::vector<std::unique_ptr<Pack>> list;
    if (files)
      list.push_back(
          Pack::readModel(std::move(*files), "/archive.nra", problems));
    for (const Problem &problem : problems)
      ADD_FAILURE() << problem.message();
    return Packs::of(std::move(list));
  }
  static std::string error(const std::string &model) {
    auto files = ModelFiles::read(model, "/a.nra");
    return files ? "" : files.failure().text;
  }
};
} // namespace

TEST_F(PackModelTest, HasWhatTheDirectoryHas) {
  writePack("acme", "acme:*", oneVariant,
            "architectures: {v3: [\"v3*\"]}\ndisabled: {scale: is slow}\n");
  writeOperator("acme/arch/v3", oneVariant);
  writeOperator("acme/compiler/triton-3", oneVariant);
  write("acme/tune_configs.yaml",
        "scale:\n- gen: true\n  param_map: {META: {BLOCK: b}}\n"
        "  b: [64, 128]\n  where: BLOCK > 1.5e+0\n");
  write("acme/README.md", "not a part of it");
  std::string model = modelOf(folder + "/acme");
  EXPECT_EQ(model.find("README"), model.npos);
  EXPECT_EQ(model.find(folder), model.npos) << "a model has no paths";
  EXPECT_EQ(shown(packsOf(model), "/archive.nra"),
            shown(findAll(), folder + "/acme"));
}

TEST_F(PackModelTest, HasTheGenericPack) {
  std::string model = modelOf(GENERIC_PACK);
  EXPECT_EQ(modelOf(GENERIC_PACK), model);
  EXPECT_EQ(shown(packsOf(model), "/archive.nra"),
            shown(find(GENERIC_PACK), GENERIC_PACK));
}

TEST_F(PackModelTest, KeepsEveryScalar) {
  writePack("acme", "acme:*", oneVariant,
            "options: {a: .inf, b: -.inf, c: 010, d: yes, e: '1', f: ~, g: "
            "1.5, h: 9223372036854775807, i: -1}\n");
  Packs packs = packsOf(modelOf(folder + "/acme"));
  std::vector<std::string> values;
  for (const Setting &option : packs.packs()[0]->vendor().options)
    values.push_back(option.value.repr());
  EXPECT_THAT(values, ElementsAre("inf", "-inf", "8", "True", "'1'", "None",
                                  "1.5", "9223372036854775807", "-1"));
}

TEST_F(PackModelTest, ItsSourcesAreThoseOfAFolder) {
  writePack("acme", "acme:*");
  auto files = ModelFiles::read(modelOf(folder + "/acme"), "/a.nra");
  ASSERT_TRUE(files);
  auto sources = (*files)->sourcesIn("/a.nra/ops");
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources["scale.py"], kernel);
  EXPECT_THAT((*files)->sourcesIn("/a.nra/op"), IsEmpty());
}

TEST_F(PackModelTest, RefusesWhatIsNoModel) {
  EXPECT_THAT(error(""), HasSubstr("/a.nra: the model of its pack is not one"));
  EXPECT_THAT(error("[]"), HasSubstr("is not one"));
  EXPECT_THAT(error(R"({"format": "nereid-pack", "version": 2})"),
              HasSubstr("has version 2, this Nereid reads version 1"));
  EXPECT_THAT(error(R"({"format": "nereid-pack", "version": 1})"),
              HasSubstr("has no 'trees'"));
  auto withTree = [](const std::string &path, const std::string &tree) {
    return error(R"({"format": "nereid-pack", "version": 1, "texts": {},
                     "trees": {")" +
                 path + "\": " + tree + "}}");
  };
  EXPECT_EQ(withTree("ops/a.yaml", R"([1, 1, "a"])"), "");
  for (const char *path : {"", "/a.yaml", "../a.yaml", "ops/../a.yaml",
                           "ops//a.yaml", "ops/", ".hidden", "a\\u0000b"})
    EXPECT_NE(withTree(path, R"([1, 1, "a"])"), "") << path;
  for (const char *tree :
       {"null", "[]", "[1, 1]", "[-1, 1, \"a\"]", "[1, 1, 5]",
        "[1, 1, 18446744073709551615, \"x\"]", "[1, 1, \"a\", 5]",
        "[1, 1, {\"float\": \"x\"}, \"x\"]", "[1, 1, {\"map\": [[1]]}]",
        "[1, 1, {\"map\": 5}]", "[1, 1, [5]]",
        "[1, 1, {\"map\": [[[1, 1, []], [1, 1, \"a\"]]]}]",
        "[1, 1, {\"map\": [[[1, 1, \"a\"], [1, 1, \"b\"]], "
        "[[1, 1, \"a\"], [1, 1, \"b\"]]]}]"})
    EXPECT_NE(withTree("a.yaml", tree), "") << tree;
  std::string deep = "[1, 1, \"a\"]";
  for (int i = 0; i < 100; ++i)
    deep = "[1, 1, [" + deep + "]]";
  EXPECT_NE(withTree("a.yaml", deep), "");
}

TEST_F(PackModelTest, APackWithAMistakeMakesNoModel) {
  writePack("acme", "acme:*");
  write("acme/ops/bad.yaml", "a: [\n");
  Result<std::string> model = ModelFiles::write(folder + "/acme");
  ASSERT_FALSE(model);
  EXPECT_THAT(model.failure().text, HasSubstr("acme/ops/bad.yaml:"));
}
