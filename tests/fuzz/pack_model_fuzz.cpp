// pack_model_fuzz.cpp - any bytes as the model of a pack in an archive: a pack
// whose operators can be shown, or problems that say why not.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/Pack.h"
#include "support/Json.h"

#include <cstdint>
#include <cstdlib>

using namespace nereid::ops;

// Everything that needs no call and no device.
static void use(const Pack &pack) {
  TargetFacts target;
  target.type = "cpu";
  target.arch = "x86_64";
  (void)pack.serves(target);
  (void)pack.familiesOf(target);
  for (const Layer &layer : pack.layers()) {
    (void)pack.labelOf(layer);
    for (const auto &[name, op] : layer.operators)
      if (jsonOf(op.schema).empty() || !pack.model()->has(op.file))
        std::abort();
  }
  for (const auto &[op, rows] : pack.tunedOperators())
    if (rows.keys.empty() || pack.tuned(op) != &rows)
      std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  auto files = ModelFiles::read(text, "/pack.nra");
  if (!files) {
    if (!files.failure().text.starts_with("/pack.nra: the model of its pack "))
      std::abort();
    return 0;
  }
  std::vector<Problem> problems;
  std::unique_ptr<Pack> pack =
      Pack::readModel(std::move(*files), "/pack.nra", problems);
  for (const Problem &problem : problems)
    if (problem.text.empty() || !problem.file.starts_with("/pack.nra/"))
      std::abort();
  if (pack)
    use(*pack);
  else if (problems.empty())
    std::abort(); // a refusal without a reason
  return 0;
}
