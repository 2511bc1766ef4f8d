// ZooTest.cpp - every way for a plugin to be wrong, and the reason it gets.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "LoaderFixture.h"

#include <dlfcn.h>
#include <elf.h>
#include <libintl.h>
#include <sys/stat.h>

#include <clocale>
#include <cstddef>

namespace nereid::host {
namespace {

/// A fixture, the code it is refused with and a part of what is said about it.
struct Wrong {
  const char *fixture;
  const char *code;
  const char *detail;
  bool runsCode; // before it is refused
};

class WrongPlugin : public LoaderFixture,
                    public testing::WithParamInterface<Wrong> {};

TEST_P(WrongPlugin, GetsItsReasonAndHidesNoOther) {
  Wrong wrong = GetParam();
  if (!wrong.runsCode) {
    EXPECT_EQ(codeOf(wrong.fixture), wrong.code);
    EXPECT_FALSE(ranCode()) << "code of a refused file ran";
  }
  place(wrong.fixture, "a.so");
  place("other", "b.so");
  discover();
  const Candidate &refused = line("a.so");
  EXPECT_EQ(refused.code(), wrong.code);
  EXPECT_THAT(refused.detail, HasSubstr(wrong.detail));
  EXPECT_FALSE(refused.remedy().empty());
  EXPECT_THAT(messages(), HasSubstr(refused.detail));
  EXPECT_THAT(loadedIds(), ElementsAre("fixture.other"));
}

TEST_P(WrongPlugin, IsAnErrorWhenLoadedExplicitly) {
  Wrong wrong = GetParam();
  fs::path path = place(wrong.fixture);
  Result<std::shared_ptr<Plugin>> loaded = make().load(path.string());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.failure().status,
            infoOf(line(path.filename()).reason).status);
  EXPECT_NE(loaded.failure().status, NEREID_OK);
  EXPECT_THAT(loaded.failure().text, HasSubstr(path.string()));
  EXPECT_THAT(loaded.failure().text, HasSubstr(wrong.detail));
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, WrongPlugin,
    testing::Values(
        Wrong{"no_note", "no-note", "has no note", false},
        Wrong{"two_notes", "two-notes", "2 notes", false},
        Wrong{"bad_note", "bad-note", "1 to 63 of [a-z0-9_.-]", false},
        Wrong{"other_major", "abi-major", "built for plugin ABI 2.", false},
        Wrong{"other_revision", "abi-revision",
              "built for revision 1 of plugin ABI 1.1", false},
        Wrong{"minor_too_new", "host-too-old", "at least ABI 1.99", false},
        Wrong{"other_machine", "wrong-machine", "'s390x'", false},
        Wrong{"wrong_sanitizer", "wrong-sanitizer", "MemorySanitizer", false},
        Wrong{"undefined_symbol", "undefined-symbol", "fixture_undefined",
              false},
        Wrong{"entry_missing", "entry-missing", "nereid_plugin_entry_1", true},
        Wrong{"entry_fails", "entry-failed", "failed on purpose", true},
        Wrong{"no_table", "entry-failed", "returned ok but no table", true},
        Wrong{"entry_throws", "entry-threw", "thrown on purpose", true},
        Wrong{"missing_slots", "missing-slots",
              "compiler.score_target, compiler.end, compiler.run_stage, "
              "driver.copy, driver.launch",
              true},
        Wrong{"missing_extension_slots", "missing-slots",
              "event.create, event.destroy, event.record, event.wait", true},
        Wrong{"table_of_other_major", "abi-major", "built for plugin ABI 2.",
              true},
        Wrong{"table_of_other_revision", "abi-revision",
              "built for revision 1 of plugin ABI 1.1", true},
        Wrong{"other_id", "bad-table", "'fixture.something_else'", true},
        Wrong{"bad_device_type", "bad-table", "device type 'a:b'", true},
        Wrong{"no_capability", "bad-table", "neither a compiler nor a driver",
              true},
        Wrong{"table_too_new", "host-too-old", "at least ABI 1.99", true},
        Wrong{"create_fails", "create-failed", "failed on purpose", true},
        Wrong{"create_throws", "create-failed", "thrown on purpose", true}),
    [](const auto &info) { return std::string(info.param.fixture); });

class Zoo : public LoaderFixture {};

TEST_F(Zoo, ADriverWhoseProbeFailsIsLoadedAndInactive) {
  EXPECT_EQ(codeOf("probe_fails"), "loaded");
  EXPECT_THAT(registry->backends().at(0)->probe().reason,
              HasSubstr("failed on purpose"));
  EXPECT_EQ(registry->backends().at(0)->probe().result.score, 0);
  EXPECT_EQ(codeOf("probe_throws"), "loaded");
  EXPECT_THAT(registry->backends().back()->probe().reason,
              HasSubstr("thrown on purpose"));
}

TEST_F(Zoo, AFileCutAtAnyLengthIsRefusedBeforeItIsOpenedByTheSystem) {
  std::string whole = contents(fixture("good"));
  for (size_t size = 0; size < whole.size();
       size += size < 1024 ? 37 : whole.size() / 50) {
    write("cut.so", whole.substr(0, size));
    discover();
    std::string_view expected = size == 0        ? "empty-file"
                                : size < SELFMAG ? "not-elf"
                                                 : "truncated-elf";
    // The class and the byte order come after the magic.
    if (size >= SELFMAG && size <= EI_DATA)
      expected = "wrong-machine";
    EXPECT_EQ(line("cut.so").code(), expected) << "at " << size << " bytes";
    EXPECT_FALSE(ranCode());
  }
}

TEST_F(Zoo, AFileForAnotherProcessorIsRefused) {
  std::string bytes = contents(fixture("good"));
  Elf64_Half machine = EM_S390;
  bytes.replace(offsetof(Elf64_Ehdr, e_machine), sizeof machine,
                reinterpret_cast<const char *>(&machine), sizeof machine);
  write("machine.so", bytes);
  bytes = contents(fixture("good"));
  bytes[EI_CLASS] = ELFCLASS32;
  write("class.so", bytes);
  discover();
  EXPECT_EQ(line("machine.so").code(), "wrong-machine");
  EXPECT_EQ(line("class.so").code(), "wrong-machine");
}

TEST_F(Zoo, AStrippedPluginLoads) {
  // Section headers are gone, as after sstrip.
  std::string bytes = contents(fixture("good"));
  bytes.replace(offsetof(Elf64_Ehdr, e_shoff), 8, 8, '\0');
  bytes.replace(offsetof(Elf64_Ehdr, e_shentsize), 6, 6, '\0');
  fs::permissions(write("stripped.so", bytes), fs::perms(0755));
  discover();
  EXPECT_EQ(line("stripped.so").code(), "loaded");
}

TEST_F(Zoo, AnythingButARegularFileIsRefused) {
  fs::create_directory(root / "directory.so");
  fs::create_symlink(root / "nowhere", root / "dangling.so");
  fs::create_symlink("loop.so", root / "loop.so");
  ASSERT_EQ(mkfifo((root / "fifo.so").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", root / "device.so");
  write("text.so", "#!/bin/sh\n");
  write("empty.so", "");
  discover();
  EXPECT_EQ(line("directory.so").code(), "not-a-file");
  EXPECT_EQ(line("dangling.so").code(), "dangling-link");
  EXPECT_EQ(line("loop.so").code(), "dangling-link");
  EXPECT_EQ(line("fifo.so").code(), "not-a-file");
  EXPECT_EQ(line("device.so").code(), "not-a-file");
  EXPECT_EQ(line("text.so").code(), "not-elf");
  EXPECT_EQ(line("empty.so").code(), "empty-file");
}

/// A catalog of messages (.mo) with one message of the dynamic loader.
std::string catalog(std::string_view message, std::string_view translation) {
  std::string bytes;
  auto add = [&bytes](uint32_t number) {
    bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
  };
  // Magic, version, count, offsets of both tables; a hash table without slots.
  for (uint32_t number : {0x950412deu, 0u, 1u, 28u, 36u, 0u, 44u})
    add(number);
  uint32_t length = static_cast<uint32_t>(message.size());
  for (uint32_t number :
       {length, 44u, static_cast<uint32_t>(translation.size()), 45u + length})
    add(number);
  return bytes.append(message)
      .append(1, '\0')
      .append(translation)
      .append(1, '\0');
}

TEST_F(Zoo, AReasonDoesNotDependOnTheLanguage) {
  write("languages/xx/LC_MESSAGES/libc.mo",
        catalog("undefined symbol: fixture_undefined", "kein Symbol"));
  std::string former = setlocale(LC_ALL, nullptr);
  ASSERT_TRUE(setlocale(LC_ALL, "C.UTF-8"));
  setenv("LANGUAGE", "xx", 1);
  bindtextdomain("libc", (root / "languages").c_str());
  fs::path path = place("undefined_symbol");
  EXPECT_EQ(dlopen(path.c_str(), RTLD_NOW), nullptr);
  std::string translated = dlerror();
  EXPECT_EQ(codeOf("undefined_symbol"), "undefined-symbol");
  unsetenv("LANGUAGE");
  setlocale(LC_ALL, former.c_str());
  EXPECT_THAT(translated, HasSubstr("kein Symbol")) << "it tests nothing";
  EXPECT_THAT(line("undefined_symbol.so").detail,
              HasSubstr("undefined symbol: fixture_undefined"));
}

TEST_F(Zoo, AMissingFileIsAnErrorOfAnExplicitLoad) {
  Result<std::shared_ptr<Plugin>> loaded =
      make().load((root / "x.so").string());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.failure().status, NEREID_NOT_FOUND);
  EXPECT_EQ(registry->candidate(0)->code(), "missing-file");
  std::string withNul = (root / "x.so").string() + '\0' + "y";
  EXPECT_FALSE(registry->load(withNul));
}

TEST_F(Zoo, AnOlderPluginWithSmallerTablesWorks) {
  EXPECT_EQ(codeOf("older"), "loaded");
  Plugin &plugin = *registry->backends().at(0);
  EXPECT_EQ(plugin.probe().result.score, 50);
  EXPECT_EQ(plugin.extension(borrow("com.fixture/1")), nullptr);
  EXPECT_EQ(plugin.driver.struct_size, sizeof(nereid_driver_t));
  EXPECT_FALSE(plugin.extensions.benchmark.isThere());
  EXPECT_EQ(plugin.extensions.benchmark.flush_cache(nullptr, 0, 0, nullptr),
            NEREID_UNIMPLEMENTED);
}

TEST_F(Zoo, ANewerPluginWithLargerTablesWorks) {
  EXPECT_EQ(codeOf("newer"), "loaded");
  Plugin &plugin = *registry->backends().at(0);
  EXPECT_EQ(plugin.info.abiMinor, uint32_t(NEREID_ABI_MINOR));
  EXPECT_NE(plugin.extension(borrow("com.fixture/1")), nullptr);
  EXPECT_EQ(plugin.extension(borrow("com.unknown/1")), nullptr);
  EXPECT_EQ(plugin.probe().result.score, 50);
}

} // namespace
} // namespace nereid::host
