// TuneConfigs.h - tune_configs.yaml: the configurations that an operator may be
// tuned over, in FlagGems' format with conditions and derived values.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_PACK_TUNE_CONFIGS_H
#define NEREID_OPS_PACK_TUNE_CONFIGS_H

#include "expr/Scope.h"
#include "pack/Reader.h"
#include "support/JsonFwd.h"

#include <map>

namespace nereid::ops {

/// A constant of a kernel or an option of its compiler.
struct Setting {
  std::string name;
  Value value;
};

/// One candidate. Options that a file does not give are not here: the
/// variant's, or the compiler's default applies.
struct Configuration {
  std::vector<Setting> constants, options;
};

/// {"constants": {...}, "options": {...}}, by name.
host::Json jsonOf(const Configuration &configuration);

/// One name of a search space with its values.
struct Dimension {
  bool isOption = false;
  std::string name; // empty: each of `groups` sets several constants at once
  std::vector<Value> values;
  std::vector<std::vector<Setting>> groups;

  size_t size() const { return name.empty() ? groups.size() : values.size(); }
};

/// One element of an operator's list: all combinations of the dimensions. A
/// plain configuration has one value for each.
struct SearchSpace {
  uint32_t line = 0;
  bool isExpanded = false; // for a long search only
  std::vector<Dimension> dimensions;
  Definitions let;
  std::vector<Definition> where; // without names
};

/// Values measured for devices: by device, by the values of `key`, by the value
/// of `by` that is nearest.
struct DeviceTable {
  uint32_t line = 0;
  std::vector<std::string> key;
  std::string by;
  std::vector<std::string> names; // what the numbers of a row are
  std::map<std::string, std::string, std::less<>> fallback; // device -> device
  struct Row {
    int64_t by = 0;
    std::vector<Value> values;
  };
  /// Device, then the text of the key's values, then rows in order of `by`.
  std::map<std::string, std::map<std::string, std::vector<Row>, std::less<>>,
           std::less<>>
      devices;

  /// The row for \p device; null if there is none.
  const Row *find(std::string_view device, std::string_view keyText,
                  int64_t by) const;
  /// The row's numbers by their names.
  Configuration configurationOf(const Row &row) const;
};

struct TunedOperator {
  std::string name;
  uint32_t line = 0;
  std::vector<SearchSpace> spaces;
  std::vector<DeviceTable> tables;
  std::vector<std::pair<std::string, std::string>> strategy; // key -> strategy
};

enum class Search { Usual, Expanded };

class TuneConfigs {
public:
  static constexpr size_t mostConfigurations = 65536; // of one element

  /// Reads the document; an operator with a problem is left out. \p options:
  /// names of the vendor's own compiler options.
  static TuneConfigs read(const yaml::Node &root,
                          const std::vector<std::string> &options,
                          Problems &problems);

  const TunedOperator *find(std::string_view name) const;
  const std::map<std::string, TunedOperator, std::less<>> &operators() const {
    return all;
  }

private:
  std::map<std::string, TunedOperator, std::less<>> all;
};

/// The configurations of \p op, in the file's order, the first name slowest.
/// \p call: what conditions may read besides; null if there is no call, and
/// then conditions that need one hold.
Result<std::vector<Configuration>> expand(const TunedOperator &op,
                                          Search search,
                                          const Environment *call = nullptr);

} // namespace nereid::ops

#endif // NEREID_OPS_PACK_TUNE_CONFIGS_H
