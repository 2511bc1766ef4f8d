// FrameTest.cpp - the bytes that cross the socket.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "worker/Frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::worker;
using testing::HasSubstr;

static Message sample() {
  Message message;
  message.kind = Kind::Answer;
  message.number = 0x1122334455667788;
  message.header = {{"name", "k\xc3\xa4se"}, {"list", {1, 2.5, true}}};
  message.blobs = {{"input", std::string("a\0b", 3)}, {"empty", ""}};
  return message;
}

static std::string read(std::string_view bytes, Message &out) {
  FrameHead head;
  if (std::string problem = parseHead(bytes, head); !problem.empty())
    return problem;
  return parsePayload(head, bytes.substr(FrameHead::size), out);
}

TEST(FrameTest, ReadsWhatWasWritten) {
  Message message;
  ASSERT_EQ(read(encodeFrame(sample()), message), "");
  EXPECT_EQ(message.kind, Kind::Answer);
  EXPECT_EQ(message.number, 0x1122334455667788u);
  EXPECT_EQ(message.header, sample().header);
  ASSERT_EQ(message.blobs.size(), 2u);
  EXPECT_EQ(*message.blob("input"), std::string("a\0b", 3));
  EXPECT_EQ(*message.blob("empty"), "");
  EXPECT_EQ(message.blob("output"), nullptr);
}

// The layout that docs/workers.md promises, byte for byte.
TEST(FrameTest, WritesTheDocumentedLayout) {
  Message message;
  message.number = 5;
  message.header = {{"a", 1}};
  message.blobs = {{"b", "xyz"}};
  std::string frame = encodeFrame(message);
  std::string text = R"({"a":1,"blobs":[["b",3]]})";
  EXPECT_EQ(frame.substr(0, 8), "nereidWK");
  EXPECT_EQ(frame.substr(8, 8), std::string("\1\0\0\0\2\0\0\0", 8));
  EXPECT_EQ(frame.substr(16, 8), std::string("\5\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(frame[24], char(text.size()));
  EXPECT_EQ(frame[32], 3);
  EXPECT_EQ(frame.substr(48), text + "xyz");
  // The check value of CRC-32.
  EXPECT_EQ(crc32("123456789"), 0xcbf43926u);
  EXPECT_EQ(crc32("456789", crc32("123")), 0xcbf43926u);
}

TEST(FrameTest, FindsEachChangedBitAndEachMissingByte) {
  std::string frame = encodeFrame(sample());
  for (size_t bit = 0; bit < 8 * frame.size(); ++bit) {
    std::string damaged = frame;
    damaged[bit / 8] ^= char(1 << (bit % 8));
    Message message;
    EXPECT_NE(read(damaged, message), "") << bit;
  }
  for (size_t size = 0; size < frame.size(); ++size) {
    Message message;
    EXPECT_NE(read(frame.substr(0, size), message), "") << size;
  }
}

TEST(FrameTest, NamesAnotherVersion) {
  std::string frame = encodeFrame(sample());
  frame[8] = 2;
  FrameHead head;
  EXPECT_THAT(parseHead(frame, head),
              HasSubstr("version 2 of the protocol, expected 1"));
}

// Frames whose digests are right.
TEST(FrameTest, RefusesBlobsThatDoNotFitTheBody) {
  for (const char *list :
       {R"({"blobs":[["b",4]]})", R"({"blobs":[["b",2]]})", R"({"blobs":7})",
        R"({"blobs":[["b",-3]]})", R"({"blobs":[["b"]]})", R"({})", R"([])",
        R"({"blobs":[["b",18446744073709551615],["c",4]]})", "{"}) {
    std::string payload = std::string(list) + "xyz";
    FrameHead head;
    head.headerSize = payload.size() - 3;
    head.bodySize = 3;
    head.digest = crc32(payload);
    Message message;
    EXPECT_NE(parsePayload(head, payload, message), "") << list;
  }
}
