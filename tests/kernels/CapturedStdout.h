// CapturedStdout.h - what a kernel prints, which may be written by any thread
// of the process and past the C library.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEST_KERNELS_CAPTUREDSTDOUT_H
#define NEREID_TEST_KERNELS_CAPTUREDSTDOUT_H

#include <string>
#include <vector>

namespace nereid::test {

/// Takes over file descriptor 1 until finish().
class CapturedStdout {
public:
  CapturedStdout();
  ~CapturedStdout() { restore(); }
  CapturedStdout(const CapturedStdout &) = delete;

  /// Gives the descriptor back; the lines that were written, sorted.
  std::vector<std::string> finish();

private:
  void restore();

  int original;
  int file;
};

} // namespace nereid::test

#endif // NEREID_TEST_KERNELS_CAPTUREDSTDOUT_H
