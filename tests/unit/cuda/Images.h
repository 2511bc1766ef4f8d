// Images.h - PTX, cubins and fatbins as they are on disk.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_CUDA_IMAGES_H
#define NEREID_TESTS_CUDA_IMAGES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::test {

/// PTX with one entry point. `parameters` are as ".u64" or ".align 64 .b8
/// [128]".
std::string ptx(std::string_view entry,
                const std::vector<std::string> &parameters,
                std::string_view target = "sm_90a",
                std::string_view version = "8.0");

/// A cubin with `text` in a section. `osAbi` 0x33 (before CUDA 13) or 0x41.
std::string cubin(uint32_t flags, uint8_t osAbi = 0x33,
                  std::string_view text = "code");

struct FatbinCode {
  bool isPtx;
  uint32_t sm;
  std::string code;
};
std::string fatbin(const std::vector<FatbinCode> &code);

} // namespace nereid::test

#endif // NEREID_TESTS_CUDA_IMAGES_H
