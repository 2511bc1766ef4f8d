// ReplyTest.cpp - replies of a Redis server, right and wrong ones.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "redis/Reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::redis;
using State = ReplyReader::State;
using Kind = Reply::Kind;
using testing::HasSubstr;

static void expectReply(std::string_view bytes, Kind kind,
                        std::string_view text) {
  ReplyReader whole(100), pieces(100);
  EXPECT_EQ(whole.feed(bytes), State::Complete) << bytes;
  EXPECT_EQ(whole.reply().kind, kind);
  EXPECT_EQ(whole.reply().text, text);
  for (size_t i = 0; i + 1 < bytes.size(); ++i)
    EXPECT_EQ(pieces.feed(bytes.substr(i, 1)), State::Incomplete);
  EXPECT_EQ(pieces.feed(bytes.substr(bytes.size() - 1)), State::Complete);
  EXPECT_EQ(pieces.reply().kind, kind);
  EXPECT_EQ(pieces.reply().text, text);
}

static std::string problemOf(std::string_view bytes) {
  ReplyReader reader(100);
  EXPECT_EQ(reader.feed(bytes), State::Malformed) << bytes;
  return reader.problem();
}

TEST(ReplyTest, ReadsEveryKindWholeAndInPieces) {
  expectReply("+OK\r\n", Kind::Text, "OK");
  expectReply("+\r\n", Kind::Text, "");
  expectReply("-ERR no\n such\r\n", Kind::Error, "ERR no\n such");
  expectReply(":-12\r\n", Kind::Integer, "-12");
  expectReply("$-1\r\n", Kind::Nothing, "");
  expectReply("$0\r\n\r\n", Kind::Bytes, "");
  expectReply("$4\r\n\r\n\r\n\r\n", Kind::Bytes, "\r\n\r\n");
}

TEST(ReplyTest, RefusesOtherTypes) {
  EXPECT_THAT(problemOf("*1\r\n"), HasSubstr("starts with byte 42"));
  EXPECT_THAT(problemOf("_\r\n"), HasSubstr("starts with byte 95"));
  EXPECT_THAT(problemOf("\r\n"), HasSubstr("starts with byte 13"));
}

TEST(ReplyTest, RefusesWrongNumbersAndLengths) {
  EXPECT_THAT(problemOf("$\r\n"), HasSubstr("not a number"));
  EXPECT_THAT(problemOf("$1 \r\n"), HasSubstr("not a number"));
  EXPECT_THAT(problemOf("$-2\r\n"), HasSubstr("not a number"));
  EXPECT_THAT(problemOf("$99999999999999999999\r\n"),
              HasSubstr("not a number"));
  EXPECT_THAT(problemOf(":x\r\n"), HasSubstr("integer"));
  EXPECT_THAT(problemOf("$1\r\nabc"), HasSubstr("longer than its size"));
  EXPECT_THAT(problemOf("+OK\r\n+"), HasSubstr("bytes follow"));
  EXPECT_THAT(problemOf("+" + std::string(2000, 'x')), HasSubstr("longer"));
}

TEST(ReplyTest, RefusesALargeValueBeforeItArrives) {
  ReplyReader reader(100);
  EXPECT_EQ(reader.feed("$101\r\n"), State::TooLarge);
  EXPECT_EQ(reader.problem(), "a value of 101 bytes, expected at most 100");
}

TEST(ReplyTest, AnnouncesTheSizeOfAValue) {
  ReplyReader reader(100);
  EXPECT_FALSE(reader.announced());
  EXPECT_EQ(reader.feed("$100\r\n"), State::Incomplete);
  EXPECT_EQ(reader.announced(), 100u);
}
