// small_file.cpp - reads a file of the kernel that has a line or a few.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "small_file.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace nereid::cpu {

std::string readSmallFile(const std::string &path) {
  std::string text;
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return text;
  char buffer[1024];
  for (;;) {
    ssize_t got = read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    text.append(buffer, static_cast<size_t>(got));
  }
  close(file);
  return text;
}

} // namespace nereid::cpu
