// ImageFit.h - how well an image suits a device.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ARCHIVE_IMAGE_FIT_H
#define NEREID_HOST_ARCHIVE_IMAGE_FIT_H

#include "abi/Values.h"
#include "plugin/Target.h"

#include <string>
#include <string_view>

namespace nereid::host {

/// What is known of an image without loading it.
struct ImageFacts {
  Target target;
  std::string_view kind;  ///< "ptx", "cubin", "elf", ...
  const Values *metadata; ///< "cpu_features"
};

/// Of an image for exactly the device's target.
inline constexpr int32_t exactScore = 1000;

/// Images are tried by falling score; the driver has the last word.
struct ImageFit {
  int32_t score = 0;  ///< 0: it cannot run there
  std::string reason; ///< "exact", "compatible: ..." or why not
};

ImageFit imageFit(const ImageFacts &image, const Target &device);

} // namespace nereid::host

#endif // NEREID_HOST_ARCHIVE_IMAGE_FIT_H
