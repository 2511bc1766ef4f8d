// OperatorReader.h - reads an operator's file: every name in it is checked
// before anything calls it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_PACK_OPERATORREADER_H
#define NEREID_OPS_PACK_OPERATORREADER_H

#include "pack/Operator.h"

#include <set>

namespace nereid::ops {

using NameSet = std::set<std::string, std::less<>>;

class OperatorReader {
public:
  OperatorReader(const yaml::Node &root, const std::string &path,
                 KernelFiles &kernels, Problems &problems)
      : root(root), path(path), kernels(kernels), problems(problems) {}

  std::optional<Operator> read();

private:
  void readSchema(const yaml::Node &node);
  void readInput(const yaml::Entry &entry);
  void readAttribute(const yaml::Entry &entry);
  void readOutput(const yaml::Entry &entry);
  void readRank(const yaml::Node &node, InputSchema &input);
  void readRequirements(const yaml::Node *node);
  void readKey(const yaml::Node *node);
  void readPointwise(const yaml::Node *node);
  void readAten(const yaml::Node *node);
  void readVariants(const yaml::Node *node);
  Variant readVariant(const yaml::Node &node);
  Temporary readTemporary(const yaml::Entry &entry);
  bool readTune(MappingReader &reader, Variant &variant);
  std::optional<Step> readStep(MappingReader &reader);
  Message readMessage(const yaml::Node &node);
  Strategy readStrategy(const yaml::Node &node, const std::string &name);
  Placed placed(const yaml::Node &node, std::string name = {});
  std::optional<Placed> optional(MappingReader &reader, std::string_view key);

  void checkKernel(const Step &step, const yaml::Node &place);
  void checkNames();
  void checkVariant(const Variant &variant, NameSet names);
  void check(const Placed &placed, const NameSet &names);
  void checkAll(const Definitions &definitions, const NameSet &names);
  bool isName(const yaml::Node &node, std::string_view kind);
  void addTensor(const std::string &name, std::string_view kind,
                 const yaml::Node &place);

  const yaml::Node &root;
  const std::string &path;
  KernelFiles &kernels;
  Problems &problems;
  Operator op;
  NameSet tensors; // names that stand for tensors
};

} // namespace nereid::ops

#endif // NEREID_OPS_PACK_OPERATORREADER_H
