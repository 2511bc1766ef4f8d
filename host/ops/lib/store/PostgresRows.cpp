// PostgresRows.cpp - results as rows of the table.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/PostgresBackend.h"

#include "cache/Digest.h"

#include <algorithm>
#include <map>

namespace nereid::ops {

using Json = nlohmann::json;

// How many bytes of results are sent at once, about.
static constexpr size_t batchBytes = size_t(1) << 20;

static std::string identityDigest(const TunedResult &result) {
  // Sizes first: texts cannot run into each other.
  std::string bytes;
  auto add = [&](const auto &field) {
    using Field = std::decay_t<decltype(field)>;
    std::string value;
    if constexpr (std::is_same_v<Field, std::string>)
      value = field;
    else
      value = std::to_string(field);
    bytes += std::to_string(value.size()) + ' ' + value;
  };
  for (const std::string *part :
       {&result.operatorName, &result.key, &result.variant,
        &result.configuration, &result.protocol, &result.compiler.plugin,
        &result.compiler.release, &result.compiler.build,
        &result.compiler.dependencies, &result.device.name,
        &result.device.architecture})
    add(*part);
  add(result.device.units);
  add(result.device.driver);
  return host::sha256(bytes).hex();
}

static std::string insertion() {
  std::string names, updates;
  auto add = [&](const std::string &name) {
    names += ", \"" + name + '"';
    updates += (updates.empty() ? "\"" : ", \"") + name + "\" = excluded.\"" +
               name + '"';
  };
  TunedResult any;
  visitFields(any, [&](const char *name, const auto &) { add(name); });
  add("checksum");
  return "INSERT INTO nereid_result (identity" + names + ") SELECT identity" +
         names +
         " FROM json_populate_recordset(NULL::nereid_result, $1::json)"
         " ON CONFLICT (identity) DO UPDATE SET " +
         updates;
}

// Within a transaction.
Trouble PostgresBackend::insert(std::span<const TunedResult> results) {
  // The last of equal ones: one statement cannot write a row twice.
  std::map<std::string, const TunedResult *> rows;
  for (const TunedResult &result : results)
    rows[identityDigest(result)] = &result;
  std::string batch, ignored;
  size_t left = rows.size();
  for (const auto &[identity, result] : rows) {
    Json row = {{"identity", identity}, {"checksum", checksumOf(*result)}};
    visitFields(*result, [&](const char *name, const auto &field) {
      row[name] = field;
    });
    batch += (batch.empty() ? '[' : ',') + row.dump();
    if (--left && batch.size() < batchBytes)
      continue;
    if (Trouble failed =
            run(Wait::Rows, insertion(), ignored, {std::move(batch) + ']'}))
      return failed;
    batch.clear();
  }
  return {};
}

namespace {
/// The columns of a row that the server wrote as JSON.
struct JsonColumns {
  const Json &row;

  const Json *find(const char *name) const {
    auto found = row.find(name);
    return found == row.end() ? nullptr : &*found;
  }
  bool column(const char *name, std::string &field) const {
    const Json *value = find(name);
    if (value && value->is_string())
      field = value->get<std::string>();
    return value && value->is_string();
  }
  bool column(const char *name, int64_t &field) const {
    const Json *value = find(name);
    if (value && value->is_number_integer())
      field = value->get<int64_t>();
    return value && value->is_number_integer();
  }
  bool column(const char *name, double &field) const {
    const Json *value = find(name);
    if (value && value->is_number())
      field = value->get<double>();
    return value && value->is_number();
  }
  bool column(const char *name, bool &field) const {
    const Json *value = find(name);
    if (value && value->is_boolean())
      field = value->get<bool>();
    return value && value->is_boolean();
  }
};
} // namespace

Trouble PostgresBackend::readRows(std::string_view operatorName,
                                  StoredRows &stored) {
  stored = {};
  std::string sql = "SELECT to_json(r) FROM nereid_result r", lines;
  std::vector<std::string> values;
  if (!operatorName.empty()) {
    sql += " WHERE \"operator\" = $1";
    values.emplace_back(operatorName);
  }
  if (Trouble failed =
          run(Wait::Rows, std::move(sql), lines, std::move(values)))
    return failed;
  std::string_view rest = lines;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    Json row = Json::parse(line, nullptr, false);
    TunedResult result;
    std::string identity;
    JsonColumns columns{row};
    // Two rows of one identity would both be believed.
    if (row.is_object() && readStoredRow(columns, result) &&
        columns.column("identity", identity) &&
        identity == identityDigest(result))
      stored.rows.push_back(std::move(result));
    else
      ++stored.damaged;
  }
  // The server's order depends on its locale.
  std::sort(stored.rows.begin(), stored.rows.end(),
            [](const TunedResult &a, const TunedResult &b) {
              return a.identity() < b.identity();
            });
  return {};
}

} // namespace nereid::ops
