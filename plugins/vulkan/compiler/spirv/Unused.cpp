// Unused.cpp - removes instructions whose results nothing uses.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Module.h"

#include <algorithm>

namespace nereid::spirv {

static uint32_t lengthOf(uint32_t firstWord) { return firstWord >> 16; }
static spv::Op opOf(uint32_t firstWord) { return spv::Op(firstWord & 0xffff); }

/// Whether an instruction does nothing but compute its result. A load through
/// an address has memory operands; one without them is of a variable.
static bool isPure(uint32_t firstWord) {
  spv::Op op = opOf(firstWord);
  auto isIn = [op](spv::Op first, spv::Op last) {
    return toWord(first) <= toWord(op) && toWord(op) <= toWord(last);
  };
  return isIn(spv::Op::OpAccessChain, spv::Op::OpPtrAccessChain) ||
         isIn(spv::Op::OpVectorExtractDynamic, spv::Op::OpTranspose) ||
         isIn(spv::Op::OpConvertFToU, spv::Op::OpBitcast) ||
         isIn(spv::Op::OpSNegate, spv::Op::OpSMulExtended) ||
         isIn(spv::Op::OpAny, spv::Op::OpFUnordGreaterThanEqual) ||
         isIn(spv::Op::OpShiftRightLogical, spv::Op::OpBitCount) ||
         op == spv::Op::OpExtInst || op == spv::Op::OpPhi ||
         (op == spv::Op::OpLoad && lengthOf(firstWord) == 4);
}

/// Removes the instructions of \p words for which \p isUnused is true, and
/// source lines of nothing.
template <typename Predicate>
static void removeWhere(Words &words, Predicate isUnused) {
  size_t end = 0, line = 0; // where the last one is, if nothing came after it
  bool isAfterLine = false;
  for (size_t at = 0, next; at < words.size(); at = next) {
    next = at + lengthOf(words[at]);
    if (isUnused(at))
      continue;
    bool isLine = opOf(words[at]) == spv::Op::OpLine ||
                  opOf(words[at]) == spv::Op::OpNoLine;
    if (isLine && isAfterLine)
      end = line;
    line = end;
    isAfterLine = isLine;
    end = std::copy(words.begin() + at, words.begin() + next,
                    words.begin() + end) -
          words.begin();
  }
  words.resize(end);
}

void Module::removeUnused() {
  // Where the result of a pure instruction is computed; 0 for others, and for
  // what is used.
  std::vector<size_t> unused(ids.size());
  std::vector<size_t> used;
  for (size_t at = 0; at < functions.size(); at += lengthOf(functions[at])) {
    if (isPure(functions[at]))
      unused[functions[at + 2]] = at;
    else
      used.push_back(at);
  }
  while (!used.empty()) {
    size_t at = used.back();
    used.pop_back();
    // A literal that equals the number of a result keeps that too.
    for (uint32_t i = 1; i < lengthOf(functions[at]); ++i)
      if (uint32_t word = functions[at + i];
          word < unused.size() && unused[word]) {
        used.push_back(unused[word]);
        unused[word] = 0;
      }
  }
  removeWhere(functions, [&](size_t at) {
    return isPure(functions[at]) && unused[functions[at + 2]];
  });
  for (Words *section : {&names, &annotations})
    removeWhere(*section,
                [&](size_t at) { return unused[(*section)[at + 1]] != 0; });
}

} // namespace nereid::spirv
