// Modules.cpp - reads and changes modules.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Modules.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace nereid::test {

Words readModule(const std::string &name) {
  std::ifstream file(std::string(VULKAN_MODULES) + '/' + name + ".spv",
                     std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty())
    throw std::runtime_error("no module " + name);
  Words words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

std::string readImage(const std::string &name) {
  return sealed(readModule(name));
}

size_t findInstruction(const Words &words, uint32_t opcode) {
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == opcode)
      return at;
  throw std::runtime_error("no such instruction");
}

void setFacts(Words &words, const std::string &text) {
  constexpr uint32_t kModuleProcessed = 330;
  auto at = static_cast<ptrdiff_t>(findInstruction(words, kModuleProcessed));
  words.erase(words.begin() + at, words.begin() + at + (words[at] >> 16));
  Words instruction(1 + text.size() / 4 + 1);
  instruction[0] =
      static_cast<uint32_t>(instruction.size()) << 16 | kModuleProcessed;
  std::memcpy(instruction.data() + 1, text.data(), text.size());
  words.insert(words.begin() + at, instruction.begin(), instruction.end());
}

void addCapability(Words &words, uint32_t capability) {
  const uint32_t instruction[] = {2u << 16 | 17, capability};
  words.insert(words.begin() + 5, std::begin(instruction),
               std::end(instruction));
}

void setThreads(Words &words, uint32_t threads) {
  constexpr uint32_t kExecutionMode = 16;
  words[findInstruction(words, kExecutionMode) + 3] = threads;
  vulkan::ImageFacts facts;
  facts.workgroup = threads;
  facts.arguments = 32;
  setFacts(words, vulkan::describe(facts));
}

std::string bytesOf(const Words &words) {
  return {reinterpret_cast<const char *>(words.data()), words.size() * 4};
}

std::string sealed(Words words) {
  std::string problem = vulkan::sealImage(words);
  if (!problem.empty())
    throw std::runtime_error(problem);
  return bytesOf(words);
}

} // namespace nereid::test
