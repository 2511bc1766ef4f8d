// option_text_fuzz.cpp - any bytes as the value of each type of option, and as
// a kernel argument of the tool: a value in range, or an error.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ArgumentSpec.h"
#include "compile/Options.h"

#include <cstdint>
#include <cstdlib>

using namespace nereid::host;

static const std::vector<OptionSchema> schema = {
    {NEREID_TYPE_I64, "count", "", "4", {}, 1, 64},
    {NEREID_TYPE_F64, "scale", "", "0.5", {}, 0, 0},
    {NEREID_TYPE_BOOL, "check", "", "false", {}, 0, 0},
    {NEREID_TYPE_STRING, "level", "", "safe", {"safe", "fast"}, 0, 0},
    {NEREID_TYPE_BYTES, "tag", "", "", {}, 0, 0},
    {NEREID_TYPE_I64_LIST, "tile", "", "", {}, 0, 0},
    {NEREID_TYPE_F64_LIST, "weights", "", "", {}, 0, 0},
    {NEREID_TYPE_STRING_LIST, "features", "", "", {}, 0, 0},
};

static nereid_value_t textValue(std::string_view name, std::string_view text) {
  nereid_value_t value = {};
  value.name = borrow(name);
  value.type = NEREID_TYPE_STRING;
  value.text = borrow(text);
  return value;
}

static void checkConverted(const Values &converted,
                           const OptionSchema &option) {
  const nereid_value_t *value = converted.find(option.name);
  if (!value || value->type != option.type)
    std::abort();
  if (option.hasRange() &&
      (value->i64 < option.minimum || value->i64 > option.maximum))
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  for (const OptionSchema &option : schema) {
    nereid_value_t value = textValue(option.name, text);
    Result<Values> converted = convertOptions({&value, 1}, schema);
    if (converted)
      checkConverted(*converted, option);
    else if (converted.failure().text.empty())
      std::abort();
  }
  size_t equals = text.find('=');
  if (equals != text.npos) {
    nereid_value_t value =
        textValue(text.substr(0, equals), text.substr(equals + 1));
    (void)convertOptions({&value, 1}, schema);
  }
  (void)nereid::tools::ArgumentSpec::parse(text);
  return 0;
}
