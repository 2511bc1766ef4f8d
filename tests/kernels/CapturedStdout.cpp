// CapturedStdout.cpp - redirects the descriptor into a file in memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CapturedStdout.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

namespace nereid::test {

CapturedStdout::CapturedStdout() {
  std::fflush(stdout);
  original = dup(1);
  file = memfd_create("stdout", MFD_CLOEXEC);
  dup2(file, 1);
}

void CapturedStdout::restore() {
  if (original < 0)
    return;
  std::fflush(stdout);
  dup2(original, 1);
  close(original);
  original = -1;
}

std::vector<std::string> CapturedStdout::finish() {
  restore();
  std::string text;
  char buffer[4096];
  lseek(file, 0, SEEK_SET);
  for (ssize_t got; (got = read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  close(file);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

} // namespace nereid::test
