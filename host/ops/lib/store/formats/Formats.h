// Formats.h - the formats of files of tuned results, one by one.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_STORE_FORMATS_FORMATS_H
#define NEREID_OPS_STORE_FORMATS_FORMATS_H

#include "store/Exchange.h"

namespace nereid::ops {

struct JsonTree;

using Results = std::vector<TunedResult>;

/// Mistakes in one file: those up to a limit with their lines, the rest as a
/// number.
class Mistakes {
public:
  /// \p name is that of the file, and is not copied.
  explicit Mistakes(std::string_view name) : name(name) {}

  void add(size_t line, const std::string &text);
  explicit operator bool() const { return count; }
  host::Failure failure() const;

private:
  static constexpr size_t limit = 20;
  std::string_view name;
  std::string lines;
  size_t count = 0;
};

Exported exportJson(const Results &results);
void importJson(const JsonTree &root, Mistakes &mistakes, Results &results);

Exported exportOrt(const Results &results);
void importOrt(const JsonTree &root, Mistakes &mistakes, Results &results);

/// An error if the results have different validators: a file has one set.
host::Result<Exported> exportPytorch(const Results &results);
void importPytorch(std::string_view text, Mistakes &mistakes, Results &results);

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_FORMATS_FORMATS_H
