// TunedOperatorReader.h - reads what an operator may be tuned over.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_PACK_TUNED_OPERATOR_READER_H
#define NEREID_OPS_PACK_TUNED_OPERATOR_READER_H

#include "pack/TuneConfigs.h"

#include <algorithm>

namespace nereid::ops {

/// The options of Triton's own compilers.
const std::vector<std::string> &tritonOptions();

/// Reads the list of one operator.
class TunedOperatorReader {
public:
  TunedOperatorReader(TunedOperator &out,
                      const std::vector<std::string> &options,
                      Problems &problems)
      : out(out), options(options), problems(problems) {}

  void read(const yaml::Node &element);

private:
  bool isOption(std::string_view name) const {
    return std::find(options.begin(), options.end(), name) != options.end();
  }
  void readPlain(const yaml::Node &element);
  void readGenerated(const yaml::Node &element);
  void readStrategy(const yaml::Node &element);
  void readTable(const yaml::Node &element);
  void readDevices(const yaml::Node &devices, DeviceTable &table);
  void readRows(const yaml::Node &rows, const std::string &device,
                const std::string &keyText, DeviceTable &table);
  void readConditions(MappingReader &reader, SearchSpace &space);
  void addSpace(SearchSpace space, const yaml::Node &element);

  std::vector<Setting> readConstants(const yaml::Node &meta);
  void checkOption(const std::string &name, const Value &value,
                   const yaml::Node &place);
  const yaml::Node *valuesOf(MappingReader &reader, const yaml::Node &source,
                             const std::string &name);
  void addDimension(MappingReader &reader, const yaml::Entry &entry,
                    bool isOption, SearchSpace &space);
  void addGroups(MappingReader &reader, const yaml::Node &meta,
                 SearchSpace &space);

  TunedOperator &out;
  const std::vector<std::string> &options;
  Problems &problems;
  // The lists that param_map names, in the element that is read.
  std::vector<std::string> lists;
};

} // namespace nereid::ops

#endif // NEREID_OPS_PACK_TUNED_OPERATOR_READER_H
