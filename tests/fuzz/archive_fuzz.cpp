// archive_fuzz.cpp - no file makes the reader of archives crash, and all that
// it accepts can be read.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/Archive.h"

#include <algorithm>
#include <cstdlib>

using namespace nereid::host;

static void useAll(const Archive &archive) {
  for (uint32_t i = 0; i < archive.counts().kernels; ++i) {
    (void)archive.argumentsOf(i);
    if (archive.kernelName(i).empty() ||
        *archive.find(archive.kernelName(i)) != i)
      std::abort(); // a kernel that cannot be found
    (void)archive.group(archive.text(archive.kernel(i).group));
  }
  for (uint32_t i = 0; i < archive.counts().images; ++i) {
    (void)archive.text(archive.target(archive.image(i).target).arch);
    (void)archive.metadata(archive.image(i));
  }
  (void)archive.verify();
}

static void check(std::string_view bytes) {
  ArchiveSource source;
  source.memory = bytes;
  Result<std::shared_ptr<const Archive>> archive = Archive::open(source);
  if (archive)
    useAll(**archive);
  else if (archive.failure().text.empty())
    std::abort(); // a refusal without a reason
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  check(bytes);
  if (size < archiveHeaderSize)
    return 0;
  // No fuzzer guesses a digest, so what lies behind those checks is reached by
  // making the digests and the size right.
  putLittle<uint64_t>(&bytes[16], bytes.size());
  auto indexSize = std::min<uint64_t>(getLittle<uint64_t>(&bytes[32]),
                                      bytes.size() - archiveHeaderSize);
  putLittle<uint64_t>(&bytes[32], indexSize);
  std::ranges::copy(
      integrityOf(std::string_view(bytes).substr(archiveHeaderSize, indexSize)),
      bytes.begin() + 40);
  std::ranges::copy(integrityOf(std::string_view(bytes).substr(0, 112)),
                    bytes.begin() + 112);
  check(bytes);
  return 0;
}
