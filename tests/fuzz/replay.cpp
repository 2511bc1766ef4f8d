// replay.cpp - runs a fuzz target on kept inputs, with any compiler.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// usage: replay FOLDER. A target that finds a fault aborts.
int main(int count, char **words) {
  if (count != 2)
    return 1;
  int inputs = 0;
  for (const auto &item : std::filesystem::directory_iterator(words[1])) {
    std::ifstream file(item.path(), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()),
                           bytes.size());
    ++inputs;
  }
  std::printf("%d inputs\n", inputs);
  return inputs ? 0 : 1;
}
