// Kernels.h - kernels for archives, made by hand.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEST_ARCHIVE_KERNELS_H
#define NEREID_TEST_ARCHIVE_KERNELS_H

#include "archive/ArchiveWriter.h"

#include <gtest/gtest.h>

#include <string>

namespace nereid::host {

inline NewImage imageFor(const std::string &deviceType, const std::string &arch,
                         const std::string &bytes) {
  NewImage image;
  image.target.backend = deviceType;
  image.target.arch = arch;
  image.bytes = bytes;
  Values metadata;
  metadata.addString("name", "kernel");
  image.metadata = metadata.encode();
  image.compiler = "maker";
  image.stage = "binary";
  image.kind = "elf";
  image.extension = "so";
  return image;
}

/// Adds n numbers: a variant for aligned pointers and n = 1, and one for all.
inline NewKernel sampleKernel(const std::string &name,
                              const std::string &group = "sums") {
  NewKernel kernel;
  kernel.name = name;
  kernel.group = group;
  kernel.arguments = {{"x", "*f32"}, {"n", "i32"}, {"scale", "f32"}};
  kernel.constants = {{"BLOCK", "1024"}};
  kernel.grid[0] = 7;
  kernel.grid[1] = kernel.grid[2] = 1;
  NewVariant special;
  special.conditions = {{0, ConditionKind::DivisibleBy, 16},
                        {1, ConditionKind::EqualTo, 1}};
  special.parameters = {0, 2};
  special.options = "num_warps=4\n";
  special.ttir = "special ttir of " + name;
  special.ttirDigest = sha256(special.ttir);
  special.images = {imageFor("cpu", "x86_64", "special image of " + name),
                    imageFor("acme", "a1", "acme image of " + name)};
  NewVariant any;
  any.parameters = {0, 1, 2};
  any.ttirDigest = sha256("any ttir");
  any.images = {imageFor("cpu", "x86_64", "general image of " + name)};
  kernel.variants = {special, any};
  return kernel;
}

inline std::string archiveOf(std::vector<NewKernel> kernels,
                             Compression compression = Compression::None) {
  ArchiveWriter writer;
  for (NewKernel &kernel : kernels) {
    Outcome added = writer.add(std::move(kernel));
    EXPECT_TRUE(added) << added.failure().text;
  }
  Result<std::string> bytes = writer.finish(compression);
  EXPECT_TRUE(bytes) << bytes.failure().text;
  return bytes ? *bytes : std::string();
}

/// Views \p bytes, which must outlive the archive.
inline Result<std::shared_ptr<const Archive>>
openBytes(std::string_view bytes) {
  ArchiveSource source;
  source.memory = bytes;
  source.name = "k.nra";
  return Archive::open(std::move(source));
}

/// Opened and verified: empty, or why not.
inline std::string problemOf(std::string_view bytes) {
  Result<std::shared_ptr<const Archive>> archive = openBytes(bytes);
  if (!archive)
    return archive.failure().text;
  Outcome verified = (*archive)->verify();
  return verified ? std::string() : verified.failure().text;
}

} // namespace nereid::host

#endif // NEREID_TEST_ARCHIVE_KERNELS_H
