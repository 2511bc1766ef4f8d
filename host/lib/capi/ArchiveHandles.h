// ArchiveHandles.h - what the opaque types of nereid/host/archive.h are.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CAPI_ARCHIVE_HANDLES_H
#define NEREID_HOST_CAPI_ARCHIVE_HANDLES_H

#include "archive/ArchiveDevice.h"
#include "archive/ArchiveWriter.h"
#include "capi/Handles.h"
#include "nereid/host/archive.h"

struct nereid_archive_t {
  const std::shared_ptr<const nereid::host::Archive> archive;
};

struct nereid_archive_device_t {
  nereid_archive_device_t(nereid_backend_t *backend,
                          std::unique_ptr<nereid::host::ArchiveDevice> archive)
      : archive(std::move(archive)), backend(backend) {
    ++backend->functions;
  }
  ~nereid_archive_device_t() {
    archive.reset();
    --backend->functions;
  }

  std::unique_ptr<nereid::host::ArchiveDevice> archive;
  nereid_backend_t *const backend;
};

struct nereid_archive_writer_t {
  nereid::host::ArchiveWriter writer;
};

#endif // NEREID_HOST_CAPI_ARCHIVE_HANDLES_H
