// yaml_fuzz.cpp - any bytes as a YAML document: a bounded tree, or an error
// that names a line.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "yaml/Node.h"

#include <cstdint>
#include <cstdlib>

using namespace nereid::ops;

// Nodes in the tree; shared ones each time, as who reads it meets them.
static uint64_t count(const yaml::Node &node, size_t depth) {
  if (depth > 2 * yaml::deepestDocument * yaml::deepestDocument)
    std::abort();
  uint64_t nodes = 1;
  for (const yaml::NodePtr &item : node.items)
    nodes += count(*item, depth + 1);
  for (const yaml::Entry &entry : node.entries) {
    if (!entry.key->isScalar())
      std::abort();
    nodes += count(*entry.key, depth + 1) + count(*entry.value, depth + 1);
  }
  return nodes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  auto root = yaml::parse(text, "fuzz");
  if (root) {
    if (count(**root, 1) > yaml::largestTree)
      std::abort();
    return 0;
  }
  std::string_view reason = root.failure().text;
  if (!reason.starts_with("fuzz:") || reason[5] < '1' || reason[5] > '9')
    std::abort();
  return 0;
}
