// Outputs.h - what `nereid run` does with a kernel's tensors after the launch:
// --save, --expect, and a summary of each.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_OUTPUTS_H
#define NEREID_TOOL_OUTPUTS_H

#include "Compare.h"
#include "KernelCall.h"
#include "Output.h"

namespace nereid::tool {

/// One --save or --expect as written.
struct OutputRequest {
  std::string option;   ///< "--save"
  std::string argument; ///< index or name
  std::string file;
  std::optional<Tolerance> tolerance;

  bool isExpectation() const { return option == "--expect"; }
};

/// Reads "N=FILE" and "N=FILE[,RTOL,ATOL]".
Expected<std::vector<OutputRequest>>
parseOutputs(const std::vector<std::string> &saves,
             const std::vector<std::string> &expectations);

class Outputs {
public:
  /// Both outlive the object.
  Outputs(const Function &function, const std::vector<ArgumentValue> &given);

  /// Finds the arguments that \p requests name and reads the files to compare
  /// with, so that mistakes are found before the launch.
  Expected<void> bind(std::vector<OutputRequest> requests);
  /// Reads the tensors back, saves and compares.
  Expected<void> finish(const KernelCall &call);

  bool matches() const;
  std::string text() const;
  Json json() const;

private:
  struct Check {
    std::string file;
    Array expected;
    Tolerance tolerance;
    Comparison result;
  };
  struct Argument {
    std::vector<std::string> saves;
    std::vector<Check> checks;
    bool isChanged = false;
  };

  Expected<size_t> find(const OutputRequest &request) const;
  Expected<void> bindExpectation(const OutputRequest &request, size_t index);
  std::string typeText(size_t index) const;

  const Function &function;
  const std::vector<ArgumentValue> &given;
  std::vector<Argument> arguments;
};

} // namespace nereid::tool

#endif // NEREID_TOOL_OUTPUTS_H
