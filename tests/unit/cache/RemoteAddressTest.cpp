// RemoteAddressTest.cpp - the value of NEREID_CACHE_REMOTE.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/RemoteAddress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::host;
using testing::HasSubstr;
using testing::Not;

static RemoteAddress parse(std::string_view text) {
  Result<RemoteAddress> address = RemoteAddress::parse(text);
  EXPECT_TRUE(address) << text << ": " << address.failure().text;
  return address ? *address : RemoteAddress();
}

static std::string problemOf(std::string_view text) {
  Result<RemoteAddress> address = RemoteAddress::parse(text);
  return address ? "none" : address.failure().text;
}

TEST(RemoteAddressTest, HasDefaults) {
  RemoteAddress address = parse("redis://cache.example.org");
  EXPECT_EQ(address.host, "cache.example.org");
  EXPECT_EQ(address.port, 6379);
  EXPECT_EQ(address.database, 0u);
  EXPECT_EQ(address.user + address.password, "");
  EXPECT_EQ(address.timeout, std::chrono::milliseconds(50));
  EXPECT_EQ(address.text(), "redis://cache.example.org:6379/0");
}

TEST(RemoteAddressTest, ReadsEveryPart) {
  RemoteAddress address =
      parse("redis://me:p%40ss%2fword@10.0.0.1:7000/12?timeout_ms=200");
  EXPECT_EQ(address.user, "me");
  EXPECT_EQ(address.password, "p@ss/word");
  EXPECT_EQ(address.host, "10.0.0.1");
  EXPECT_EQ(address.port, 7000);
  EXPECT_EQ(address.database, 12u);
  EXPECT_EQ(address.timeout, std::chrono::milliseconds(200));
  EXPECT_EQ(address.text(), "redis://10.0.0.1:7000/12");
}

TEST(RemoteAddressTest, ReadsAPasswordWithoutUserAndWithReservedCharacters) {
  RemoteAddress address = parse("redis://:a@b/c?d:e@host/");
  EXPECT_EQ(address.user, "");
  EXPECT_EQ(address.password, "a@b/c?d:e");
  EXPECT_EQ(address.host, "host");
}

TEST(RemoteAddressTest, ReadsAddressesOfIPv6) {
  EXPECT_EQ(parse("redis://[::1]").host, "::1");
  EXPECT_EQ(parse("redis://[::1]:7000/1").port, 7000);
  EXPECT_EQ(parse("redis://[::1]").text(), "redis://[::1]:6379/0");
}

TEST(RemoteAddressTest, RefusesWhatItDoesNotUnderstand) {
  EXPECT_THAT(problemOf("host:6379"), HasSubstr("start with 'redis://'"));
  EXPECT_THAT(problemOf("rediss://host"), HasSubstr("use a tunnel"));
  EXPECT_THAT(problemOf("redis://"), HasSubstr("names no host"));
  EXPECT_THAT(problemOf("redis://a b"), HasSubstr("names no host"));
  EXPECT_THAT(problemOf("redis://host:"), HasSubstr("port"));
  EXPECT_THAT(problemOf("redis://host:0"), HasSubstr("port"));
  EXPECT_THAT(problemOf("redis://host:65536"), HasSubstr("port"));
  EXPECT_THAT(problemOf("redis://host:1x"), HasSubstr("port"));
  EXPECT_THAT(problemOf("redis://[::1"), HasSubstr("IPv6"));
  EXPECT_THAT(problemOf("redis://[::1]x"), HasSubstr("IPv6"));
  EXPECT_THAT(problemOf("redis://host/x"), HasSubstr("database"));
  EXPECT_THAT(problemOf("redis://host/-1"), HasSubstr("database"));
  EXPECT_THAT(problemOf("redis://host?timeout=1"),
              HasSubstr("unknown setting 'timeout'"));
  EXPECT_THAT(problemOf("redis://host?timeout_ms=0"), HasSubstr("1 to 60000"));
  EXPECT_THAT(problemOf("redis://host?timeout_ms="), HasSubstr("1 to 60000"));
  EXPECT_THAT(problemOf("redis://@host"), HasSubstr("no password"));
  EXPECT_THAT(problemOf("redis://me@host"), HasSubstr("no password"));
  EXPECT_THAT(problemOf("redis://:%4@host"), HasSubstr("hexadecimal"));
  EXPECT_THAT(problemOf("redis://:%zz@host"), HasSubstr("hexadecimal"));
}

TEST(RemoteAddressTest, DoesNotTellThePassword) {
  for (const char *text :
       {"redis://:secret@host:x", "redis://:secret%@host", "http://:secret@h",
        "redis://:secret@", "redis://:secret@host/x"})
    EXPECT_THAT(problemOf(text), Not(HasSubstr("secret")));
}
