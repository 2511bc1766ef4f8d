// environment_test.cpp - variables that configure a plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/environment.h"
#include "common/guard.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace nereid::plugin {
namespace {

constexpr char kName[] = "NEREID_TOY";

class Environment : public ::testing::Test {
protected:
  ~Environment() override { unsetenv(kName); }

  static void set(const char *value) { setenv(kName, value, 1); }
  static uint64_t number() { return readNumber(kName, "a number", 2, 9, 5); }

  /// The message of the Failure that `read` throws.
  template <typename Read> static std::string refusal(Read read) {
    try {
      read();
    } catch (const Failure &failure) {
      EXPECT_EQ(failure.status(), NEREID_INVALID_ARGUMENT);
      return failure.what();
    }
    return "accepted";
  }
};

TEST_F(Environment, UnsetAndEmptyVariablesHaveTheDefault) {
  EXPECT_EQ(number(), 5u);
  set("");
  EXPECT_EQ(number(), 5u);
  EXPECT_TRUE(readSwitch(kName, true));
  EXPECT_FALSE(readSwitch(kName, false));
}

TEST_F(Environment, ReadsWhatIsSet) {
  set("9");
  EXPECT_EQ(number(), 9u);
  set("1");
  EXPECT_TRUE(readSwitch(kName, false));
}

TEST_F(Environment, RefusesIllegalValues) {
  for (const char *value :
       {"1", "10", "5x", "-3", " 5", "99999999999999999999"}) {
    set(value);
    EXPECT_EQ(refusal(number), std::string(kName) + " is '" + value +
                                   "', a number from 2 to 9 was expected");
  }
  set("yes");
  EXPECT_EQ(refusal([] { readSwitch(kName, true); }),
            std::string(kName) + " is 'yes', 0 or 1 was expected");
}

TEST_F(Environment, TheCacheIsInAnAbsoluteFolder) {
  // Restored at the end: other tests may use the cache.
  std::string set = readVariable("NEREID_CACHE_DIR");
  setenv("NEREID_CACHE_DIR", "/cache", 1);
  EXPECT_EQ(readCacheDirectory(), "/cache");
  setenv("NEREID_CACHE_DIR", "cache", 1);
  EXPECT_EQ(readCacheDirectory(), "");
  setenv("NEREID_CACHE_DIR", set.c_str(), 1);
}

} // namespace
} // namespace nereid::plugin
