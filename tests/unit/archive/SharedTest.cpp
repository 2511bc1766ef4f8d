// SharedTest.cpp - one archive in many processes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ArchiveFixture.h"

#include <fstream>
#include <sys/wait.h>

namespace {
class ArchiveSharedTest : public ArchiveFixture {
protected:
  // In a child process: everything anew, from the file.
  int launchAll(const std::string &path) {
    RuntimeFixture::start();
    nereid_archive_open_t request = {};
    request.struct_size = sizeof request;
    request.path = text(path);
    nereid_archive_t *archive = nullptr;
    if (nereid_archive_open(&request, &archive) != NEREID_OK)
      return 1;
    nereid_archive_device_t *device = loadFor(archive);
    for (int round = 0; round < 20; ++round)
      for (uint32_t kernel = 0; kernel < 8; ++kernel) {
        alignas(16) float values[2] = {};
        int n = round + static_cast<int>(kernel);
        if (ArchiveFixture::start(device, kernel, values + kernel % 2, n) !=
                NEREID_OK ||
            values[kernel % 2] != n)
          return 2;
      }
    nereid_archive_device_destroy(device);
    nereid_archive_destroy(archive);
    stop();
    return fake_counts().loads == 8 && fake_counts().unloads == 8 ? 0 : 3;
  }
};
} // namespace

TEST_F(ArchiveSharedTest, ServesSixteenProcessesWhileItIsReplaced) {
  std::vector<Kernel> kernels;
  for (int i = 0; i < 8; ++i)
    kernels.push_back(storing("kernel_" + std::to_string(i)));
  std::string bytes = archiveOf(kernels);
  std::string path = directory + "/k.nra";
  std::ofstream(path) << bytes;
  stop();
  fake_reset();
  std::vector<pid_t> children;
  for (int i = 0; i < 16; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(launchAll(path));
    children.push_back(child);
    // As a build does it: another file takes the name.
    std::ofstream(path + ".new") << bytes;
    std::filesystem::rename(path + ".new", path);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}
