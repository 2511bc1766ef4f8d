// image_digest.h - the last bytes of an image, which detect changed images.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The dynamic loader trusts the tables in a shared object: a damaged one may
// crash the process, or end it by an assertion. So the compiler seals the
// images that it links, and the driver loads no other. This detects accidents,
// not attacks: whoever can write an image can run code anyway.

#ifndef NEREID_CPU_IMAGE_DIGEST_H
#define NEREID_CPU_IMAGE_DIGEST_H

#include <cstdint>
#include <cstring>
#include <string_view>

namespace nereid::cpu {

/// Follows the shared object, where no loader or debugger looks.
struct ImageSeal {
  char magic[8];
  uint64_t digest; ///< of all bytes before the seal
};

inline constexpr char kImageMagic[8] = {'N', 'R', 'D', 'C', 'P', 'U', '0', '1'};

/// 32 bytes per step in four independent lanes, since it runs on every load.
inline uint64_t imageDigest(std::string_view bytes) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  constexpr size_t kLanes = 4;
  uint64_t lanes[kLanes] = {1, 2, 3, 4};
  auto mix = [&](const uint64_t (&words)[kLanes]) {
    for (size_t i = 0; i < kLanes; ++i) {
      lanes[i] = (lanes[i] ^ words[i]) * kFactor;
      lanes[i] ^= lanes[i] >> 32;
    }
  };
  uint64_t words[kLanes];
  size_t at = 0;
  for (; bytes.size() - at >= sizeof words; at += sizeof words) {
    std::memcpy(words, bytes.data() + at, sizeof words);
    mix(words);
  }
  uint64_t last[kLanes] = {};
  std::memcpy(last, bytes.data() + at, bytes.size() - at);
  mix(last);
  uint64_t digest = bytes.size();
  for (uint64_t lane : lanes) {
    digest = (digest ^ lane) * kFactor;
    digest ^= digest >> 32;
  }
  return digest;
}

inline ImageSeal sealOf(std::string_view bytes) {
  ImageSeal seal = {};
  std::memcpy(seal.magic, kImageMagic, sizeof seal.magic);
  seal.digest = imageDigest(bytes);
  return seal;
}

/// Does `image` end with the seal of the bytes before it?
inline bool isSealed(std::string_view image) {
  if (image.size() < sizeof(ImageSeal))
    return false;
  std::string_view bytes = image.substr(0, image.size() - sizeof(ImageSeal));
  ImageSeal seal = sealOf(bytes);
  return std::memcmp(image.data() + bytes.size(), &seal, sizeof seal) == 0;
}

} // namespace nereid::cpu

#endif // NEREID_CPU_IMAGE_DIGEST_H
