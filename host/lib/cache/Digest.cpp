// Digest.cpp - SHA-256, after FIPS 180-4.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/Digest.h"

#include <algorithm>
#include <bit>

namespace nereid::host {

// FIPS 180-4, section 4.2.2.
static constexpr uint32_t roundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t bigEndian32(const uint8_t *bytes) {
  return uint32_t(bytes[0]) << 24 | uint32_t(bytes[1]) << 16 |
         uint32_t(bytes[2]) << 8 | bytes[3];
}

void Sha256::compress(const uint8_t *block) {
  uint32_t w[64];
  for (int t = 0; t < 16; ++t)
    w[t] = bigEndian32(block + 4 * t);
  for (int t = 16; t < 64; ++t) {
    uint32_t s0 =
        std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    uint32_t s1 =
        std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (int t = 0; t < 64; ++t) {
    uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t choice = (e & f) ^ (~e & g);
    uint32_t t1 = h + sum1 + choice + roundConstants[t] + w[t];
    uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t t2 = sum0 + majority;
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const uint32_t working[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i)
    state[i] += working[i];
}

void Sha256::update(std::string_view bytes) {
  const auto *next = reinterpret_cast<const uint8_t *>(bytes.data());
  size_t left = bytes.size();
  size_t filled = length % 64;
  length += left;
  if (filled + left < 64) {
    std::copy_n(next, left, pending.begin() + filled);
    return;
  }
  if (filled) {
    std::copy_n(next, 64 - filled, pending.begin() + filled);
    compress(pending.data());
    next += 64 - filled, left -= 64 - filled;
  }
  for (; left >= 64; next += 64, left -= 64)
    compress(next);
  std::copy_n(next, left, pending.begin());
}

Digest Sha256::finish() {
  uint64_t bits = length * 8;
  // A one bit, zeros up to the last eight bytes of a block, the length.
  static constexpr char padding[64] = {char(0x80)};
  size_t filled = length % 64;
  update({padding, filled < 56 ? 56 - filled : 120 - filled});
  char tail[8];
  for (int i = 0; i < 8; ++i)
    tail[i] = char(bits >> (56 - 8 * i));
  update({tail, 8});

  Digest digest;
  for (int i = 0; i < 32; ++i)
    digest.bytes[i] = uint8_t(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string Digest::hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

static int digitValue(char digit) {
  if (digit >= '0' && digit <= '9')
    return digit - '0';
  if (digit >= 'a' && digit <= 'f')
    return digit - 'a' + 10;
  return -1;
}

std::optional<Digest> Digest::fromHex(std::string_view text) {
  Digest digest;
  if (text.size() != 2 * digest.bytes.size())
    return std::nullopt;
  for (size_t i = 0; i < digest.bytes.size(); ++i) {
    int high = digitValue(text[2 * i]), low = digitValue(text[2 * i + 1]);
    if (high < 0 || low < 0)
      return std::nullopt;
    digest.bytes[i] = uint8_t(high << 4 | low);
  }
  return digest;
}

} // namespace nereid::host
