// DigestTest.cpp - SHA-256 against the examples of its standard.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/Digest.h"

#include <gtest/gtest.h>

using namespace nereid::host;

// FIPS 180-2, appendix B, and NIST's "SHA Test Vectors".
TEST(Digest, MatchesThePublishedVectors) {
  EXPECT_EQ(sha256("").hex(), "e3b0c44298fc1c149afbf4c8996fb924"
                              "27ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc").hex(), "ba7816bf8f01cfea414140de5dae2223"
                                 "b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex(),
      "248d6a61d20638b8e5c026930c3e6039"
      "a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                   "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu")
                .hex(),
            "cf5b16a778af8380036ce59e7b049237"
            "0b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')).hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67"
            "f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, DoesNotDependOnThePieces) {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += char(i);
  for (size_t size = 0; size <= text.size(); ++size) {
    std::string_view whole(text.data(), size);
    for (size_t cut : {size_t(0), size / 3, size / 2, size}) {
      Sha256 hash;
      hash.update(whole.substr(0, cut));
      hash.update(whole.substr(cut));
      EXPECT_EQ(hash.finish(), sha256(whole)) << size << " cut at " << cut;
    }
  }
}

TEST(Digest, ReadsBackItsHexadecimalForm) {
  Digest digest = sha256("abc");
  EXPECT_EQ(Digest::fromHex(digest.hex()), digest);
}

TEST(Digest, RefusesOtherText) {
  std::string good = sha256("abc").hex();
  EXPECT_FALSE(Digest::fromHex(""));
  EXPECT_FALSE(Digest::fromHex(good.substr(1)));
  EXPECT_FALSE(Digest::fromHex(good + "0"));
  EXPECT_FALSE(Digest::fromHex("BA" + good.substr(2)));
  EXPECT_FALSE(Digest::fromHex("g" + good.substr(1)));
}
