// values.h - converts Python options to Nereid values.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_VALUES_H
#define NEREID_PYTHON_VALUES_H

#include "object.h"

#include <deque>
#include <vector>

namespace nereid::python {

/// The items of a dict from names to bool, int, float, str or lists of int.
/// They refer to the dict, which has to outlive them.
class Values {
public:
  /// False with an error set for an object without a Nereid type.
  bool read(PyObject *dict);

  const nereid_value_t *data() const { return values.data(); }
  uint64_t size() const { return values.size(); }

private:
  bool add(PyObject *name, PyObject *value);

  std::vector<nereid_value_t> values;
  std::deque<std::vector<int64_t>> lists;
};

} // namespace nereid::python

#endif // NEREID_PYTHON_VALUES_H
