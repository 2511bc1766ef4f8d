// image.h - what an image is, found before the driver library sees it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The library takes an image without its size, and reads as far as the image
// says. So what an image says about its own size is checked here.

#ifndef NEREID_CUDA_IMAGE_H
#define NEREID_CUDA_IMAGE_H

#include <string>
#include <string_view>
#include <vector>

namespace nereid::cuda {

/// The code for one architecture in an image.
struct ImageCode {
  bool isPtx = false;
  int sm = 0; ///< 90 for sm_90a
  /// 'a': for exactly this architecture; 'f': for its family; 0: neither, or
  /// not known.
  char suffix = 0;
  int ptxVersion = 0; ///< of PTX, 87 for 8.7; 0 if not known

  /// "sm_90a", "PTX 8.7 for sm_90a"
  std::string text() const;
  /// Whether a device of this compute capability (10 * major + minor) runs it.
  bool runsOn(int capability) const;
};

enum class ImageKind { Cubin, Ptx, Fatbin };

struct Image {
  ImageKind kind = ImageKind::Cubin;
  std::vector<ImageCode> code; ///< one, or those of a fatbin
};

/// Reads `bytes`. Returns what is wrong with them; empty on success.
std::string readImage(std::string_view bytes, Image &out);

/// Why a device of `capability` with a library that compiles PTX up to
/// `newestPtx` (0: not known) cannot run `image`; empty if it can. `device` and
/// `driver` name them: "device 'H200' is sm_90a", "the driver (CUDA 12.4)".
std::string imageProblem(const Image &image, int capability, int newestPtx,
                         const std::string &device, const std::string &driver);

} // namespace nereid::cuda

#endif // NEREID_CUDA_IMAGE_H
