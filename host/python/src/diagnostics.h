// diagnostics.h - calls of plugins and services that the module makes itself.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_DIAGNOSTICS_H
#define NEREID_PYTHON_DIAGNOSTICS_H

#include "object.h"

namespace nereid::python {

/// One call, and what was reported to it.
class Diagnostics {
public:
  Diagnostics();
  Diagnostics(const Diagnostics &) = delete;
  Diagnostics &operator=(const Diagnostics &) = delete;

  const nereid_call_t *get() const { return &call; }

  /// Runs \p slot, which returns a status; an exception becomes
  /// NEREID_INTERNAL and a diagnostic.
  template <typename Slot> nereid_status_t run(Slot slot) {
    try {
      return slot();
    } catch (const std::exception &error) {
      add(std::string("an exception was thrown: ") + error.what());
    } catch (...) {
      add("an exception was thrown");
    }
    return NEREID_INTERNAL;
  }

  /// Raises nereid.Error with what was reported, or \p otherwise.
  PyObject *raise(nereid_status_t status, std::string_view otherwise) const;

private:
  static void report(const nereid_call_t *call,
                     const nereid_diagnostic_t *diagnostic);
  void add(const std::string &line);

  nereid_call_t call = {};
  std::string reported;
};

} // namespace nereid::python

#endif // NEREID_PYTHON_DIAGNOSTICS_H
