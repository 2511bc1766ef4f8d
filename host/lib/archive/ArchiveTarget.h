// ArchiveTarget.h - the targets of an archive's images.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ARCHIVE_ARCHIVE_TARGET_H
#define NEREID_HOST_ARCHIVE_ARCHIVE_TARGET_H

#include "archive/Archive.h"
#include "plugin/Target.h"

namespace nereid::host {

/// Target \p place of \p archive.
inline Target targetOf(const Archive &archive, uint32_t place) {
  TargetRecord record = archive.target(place);
  Target target;
  target.backend = archive.text(record.deviceType);
  target.arch = archive.text(record.arch);
  target.features = archive.text(record.features);
  target.warpSize = record.warpSize;
  return target;
}

} // namespace nereid::host

#endif // NEREID_HOST_ARCHIVE_ARCHIVE_TARGET_H
