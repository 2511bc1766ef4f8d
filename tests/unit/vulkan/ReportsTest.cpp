// ReportsTest.cpp - what kernels print and fail with: sites, services blocks,
// and when the driver reports them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "VulkanFixture.h"

#include "reports.h"
#include "services.h"

#include <cstring>

using namespace nereid::test;
using namespace nereid::vulkan;
using namespace nereid::vulkan::services;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// -------------------------------------------------------------------- sites

TEST(VulkanSites, ReadsTheTextsThatItWrites) {
  Site print = {
      true, std::string(" a\\b\0c text=d ", 14), "bf16", true, {4, 8}};
  Site found;
  ASSERT_THAT(readSite(describe(print), found), IsEmpty());
  EXPECT_TRUE(found.isPrint && found.isHex);
  EXPECT_EQ(found.text, print.text);
  EXPECT_EQ(found.type, "bf16");
  EXPECT_EQ(found.shape, print.shape);
  EXPECT_EQ(found.elements(), 32u);

  Site empty = {.isPrint = true, .text = "alone"};
  ASSERT_THAT(readSite(describe(empty), found), IsEmpty());
  EXPECT_EQ(found.elements(), 0u);
  EXPECT_EQ(found.type, "");
  Site fault = {.text = "k.py:3: wrong"};
  ASSERT_THAT(readSite(describe(fault), found), IsEmpty());
  EXPECT_FALSE(found.isPrint);
  EXPECT_EQ(found.text, fault.text);
}

TEST(VulkanSites, CutsATextThatDoesNotFitAnInstruction) {
  Site long_ = {.text = std::string(1 << 20, '\\')};
  std::string text = describe(long_);
  EXPECT_LT(text.size(), 65535u * 4);
  Site found;
  ASSERT_THAT(readSite(text, found), IsEmpty());
  EXPECT_TRUE(found.text.ends_with("\\..."));
}

TEST(VulkanSites, RefusesWhatIsNotOne) {
  for (const char *text :
       {"nereid.vulkan.", "nereid.vulkan.other text=x",
        "nereid.vulkan.print type=i32 hex=0 shape=", // no text
        "nereid.vulkan.print type=i32 hex=2 shape= text=x",
        "nereid.vulkan.print type=i33 hex=0 shape= text=x",
        "nereid.vulkan.print type=none hex=0 shape=4 text=x",
        "nereid.vulkan.print type=i32 hex=0 shape=0 text=x",
        "nereid.vulkan.print type=i32 hex=0 shape=-4 text=x",
        "nereid.vulkan.print type=i32 hex=0 shape=4x text=x",
        "nereid.vulkan.print type=i32 hex=0 shape=4096x4097 text=x",
        "nereid.vulkan.print type=i32 hex=0 "
        "shape=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1 text=x",
        "nereid.vulkan.print type=i32 hex=0 shape=99999999999999999999 text=x",
        "nereid.vulkan.fault text=\\", "nereid.vulkan.fault text=\\n",
        "nereid.vulkan.fault"}) {
    Site found;
    EXPECT_THAT(readSite(text, found), HasSubstr("was expected")) << text;
  }
}

TEST(VulkanSites, AreCheckedWithTheImage) {
  Image image;
  ASSERT_THAT(
      nereid::vulkan::readImage(nereid::test::readImage("report"), image),
      IsEmpty());
  ASSERT_EQ(image.sites.size(), 2u);
  EXPECT_EQ(image.sites[0].text, " value: ");
  EXPECT_EQ(image.sites[1].text, "report.py:7: too large");
  // A site that is wrong, in an image that is whole otherwise.
  std::string bytes = bytesOf(readModule("report"));
  size_t at = bytes.find("type=i32");
  ASSERT_NE(at, bytes.npos);
  bytes[at + 5] = 'z';
  Words words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  EXPECT_THAT(sealImage(words), HasSubstr("type=z32"));
}

// ------------------------------------------------------------------- blocks

namespace {
/// A services block that a kernel has written.
class Block {
public:
  explicit Block(std::vector<Site> sites, size_t records = 64)
      : words(kRecords + records, 0xcdcdcdcd),
        sites(std::make_shared<const KernelSites>(
            KernelSites{"k", std::move(sites)})) {
    prepareServices(pending());
  }

  PendingReport pending() {
    return {reinterpret_cast<char *>(words.data()), words.size() * 4, sites};
  }
  void print(uint32_t site, uint32_t x, uint32_t sequence,
             std::vector<uint32_t> elements) {
    std::vector<uint32_t> record = {site + 1, x, 0, 0, sequence};
    record.insert(record.end(), elements.begin(), elements.end());
    std::copy(record.begin(), record.end(),
              words.begin() + kRecords + words[kCursor]);
    words[kCursor] += static_cast<uint32_t>(record.size());
  }
  void fail(uint32_t site, uint32_t x, uint32_t y, uint32_t z) {
    uint32_t at = kFaults + words[kFaultCount]++ * kFaultWords;
    const uint32_t entry[] = {site + 1, x, y, z};
    std::copy(entry, entry + 4, words.begin() + at);
  }
  LaunchReport read() { return readServices(pending()); }

  std::vector<uint32_t> words;
  std::shared_ptr<const KernelSites> sites;
};
} // namespace

static Site printOf(const char *type, std::vector<int64_t> shape = {}) {
  return {true, " v: ", type, false, std::move(shape)};
}

TEST(VulkanReports, PrintsByProgramThenInItsOrder) {
  Block block({printOf("i32"), printOf("i32", {2})});
  block.print(0, 2, 0, {7});
  block.print(0, 0, 1, {5});
  block.print(1, 0, 0, {3, 4});
  EXPECT_EQ(block.read().lines, "pid (0, 0, 0) idx (0) v: 3\n"
                                "pid (0, 0, 0) idx (1) v: 4\n"
                                "pid (0, 0, 0) idx () v: 5\n"
                                "pid (2, 0, 0) idx () v: 7\n");
  EXPECT_THAT(block.read().fault, IsEmpty());
}

TEST(VulkanReports, ReadsElementsOfEveryWidth) {
  Block block({printOf("i8"),
               printOf("u16"),
               printOf("f64"),
               printOf("i1"),
               printOf("ptr"),
               printOf("f16"),
               {.isPrint = true, .text = " alone"}});
  block.print(0, 0, 0, {0xff});
  block.print(1, 0, 1, {0xfffe});
  block.print(2, 0, 2, {0, 0x3ff80000});
  block.print(3, 0, 3, {1});
  block.print(4, 0, 4, {0x10, 0});
  block.print(5, 0, 5, {0x3c00});
  block.print(6, 0, 6, {});
  EXPECT_EQ(block.read().lines, "pid (0, 0, 0) idx () v: -1\n"
                                "pid (0, 0, 0) idx () v: 65534\n"
                                "pid (0, 0, 0) idx () v: 1.500000\n"
                                "pid (0, 0, 0) idx () v: 1\n"
                                "pid (0, 0, 0) idx () v: 0x0000000000000010\n"
                                "pid (0, 0, 0) idx () v: 1.000000\n"
                                "pid (0, 0, 0) alone\n");
}

TEST(VulkanReports, NamesTheFaultOfTheFirstProgram) {
  Block block({printOf("i32"), {.text = "a"}, {.text = "b"}});
  block.fail(1, 5, 0, 1);
  block.fail(2, 9, 0, 0);
  block.fail(1, 0, 1, 0);
  EXPECT_EQ(block.read().fault, "kernel 'k', program (9, 0, 0): b");
  // More entries than the table has.
  block.words[kFaultCount] = 0xffffffff;
  EXPECT_THAT(block.read().fault, Not(IsEmpty()));
}

TEST(VulkanReports, CountsWhatDidNotFit) {
  Block block({printOf("i32", {4})}, 12);
  EXPECT_EQ(block.words[kCapacity], 12u);
  block.print(0, 0, 0, {1, 2, 3, 4});
  // The kernel reserves more than there is and leaves a 0.
  block.words[kRecords + 9] = 0;
  block.words[kCursor] = 18;
  block.words[kDropped] = 4;
  LaunchReport report = block.read();
  EXPECT_EQ(report.dropped, 4u);
  EXPECT_EQ(std::count(report.lines.begin(), report.lines.end(), '\n'), 4);
}

TEST(VulkanReports, TrustsNothingInTheBlock) {
  Block block({printOf("i32"), {.text = "a"}});
  // Sites that the image does not have, or of the other kind.
  for (uint32_t site : {1u, 2u, 0xfffffffeu}) {
    Block other = block;
    other.print(site, 0, 0, {1});
    EXPECT_THAT(other.read().fault, HasSubstr("reported site ")) << site;
    EXPECT_THAT(other.read().lines, IsEmpty());
  }
  for (uint32_t site : {0u, 2u, 0xffffffffu}) {
    Block other = block;
    other.fail(site, 0, 0, 0);
    EXPECT_THAT(other.read().fault, HasSubstr("reported site ")) << site;
  }
  // A record that reaches past the end, and a cursor beyond it.
  Block cut({printOf("i32", {1 << 20})});
  cut.print(0, 0, 0, {1});
  EXPECT_THAT(cut.read().lines, IsEmpty());
  cut.words[kCursor] = 0xffffffff;
  cut.words[kCapacity] = 0xffffffff;
  EXPECT_THAT(cut.read().lines, IsEmpty());
}

// ------------------------------------------------------------------- driver

using VulkanReport = VulkanTest;

struct alignas(64) ReportArguments {
  uint32_t value, fault;
};

TEST_F(VulkanReport, ReportsAFaultOnceAndTheStreamWorksOn) {
  nereid_kernel_t *report = kernel("report");
  nereid_stream_t other = createStream();
  ReportArguments fails = {1, 2}, holds = {2, 0};
  testing::internal::CaptureStdout();
  ASSERT_EQ(launch(report, 1, &fails, 8), NEREID_OK) << error;
  ASSERT_EQ(launch(report, 1, &holds, 8), NEREID_OK) << error;
  ASSERT_EQ(launch(report, 1, &holds, 8, other), NEREID_OK) << error;
  EXPECT_EQ(synchronize(other), NEREID_OK) << error;
  EXPECT_EQ(synchronize(), NEREID_DEVICE_FAULT);
  EXPECT_EQ(error,
            "kernel 'report', program (0, 0, 0): report.py:7: too large");
  EXPECT_EQ(synchronize(), NEREID_OK) << error;
  ASSERT_EQ(launch(report, 1, &holds, 8), NEREID_OK) << error;
  EXPECT_EQ(synchronize(), NEREID_OK) << error;
  std::string lines = testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4) << lines;
  EXPECT_THAT(lines, HasSubstr("pid (0, 0, 0) idx () value: 1\n"));
}

TEST_F(VulkanReport, TheDeviceAndTheEndOfAStreamReportFaults) {
  nereid_kernel_t *report = kernel("report");
  const auto &streams = plugin->extension<nereid_streams_t>(NEREID_EXT_STREAM);
  nereid_stream_t stream = createStream();
  ReportArguments fails = {1, 2};
  testing::internal::CaptureStdout();
  ASSERT_EQ(launch(report, 1, &fails, 8, stream), NEREID_OK) << error;
  EXPECT_EQ(call(plugin->driver().synchronize_device, plugin->state, 0u),
            NEREID_DEVICE_FAULT);
  EXPECT_THAT(error, HasSubstr("too large"));
  EXPECT_EQ(call(plugin->driver().synchronize_device, plugin->state, 0u),
            NEREID_OK);
  ASSERT_EQ(launch(report, 1, &fails, 8, stream), NEREID_OK) << error;
  EXPECT_EQ(call(streams.destroy, plugin->state, 0u, stream),
            NEREID_DEVICE_FAULT);
  EXPECT_THAT(error, HasSubstr("too large"));
  // It is gone, and its handle with it.
  EXPECT_EQ(synchronize(stream), NEREID_INVALID_ARGUMENT);
  testing::internal::GetCapturedStdout();
}

TEST_F(VulkanReport, PrintsInTheOrderOfLaunches) {
  nereid_kernel_t *report = kernel("report");
  testing::internal::CaptureStdout();
  std::string expected;
  for (uint32_t i = 0; i < 200; ++i) {
    ReportArguments arguments = {i, 0};
    ASSERT_EQ(launch(report, 1, &arguments, 8), NEREID_OK) << error;
    expected += "pid (0, 0, 0) idx () value: " + std::to_string(i) + "\n";
  }
  EXPECT_EQ(synchronize(), NEREID_OK) << error;
  EXPECT_EQ(testing::internal::GetCapturedStdout(), expected);
}

TEST_F(VulkanReport, FindsASiteThatAHostileImageDoesNotHave) {
  nereid_kernel_t *report = kernel("report");
  ReportArguments arguments = {1, 77};
  testing::internal::CaptureStdout();
  ASSERT_EQ(launch(report, 1, &arguments, 8), NEREID_OK) << error;
  EXPECT_EQ(synchronize(), NEREID_DEVICE_FAULT);
  EXPECT_EQ(error, "kernel 'report' reported site 76, it has 2");
  testing::internal::GetCapturedStdout();
}
