// PostgresTables.cpp - the tables, and the version of their format.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/PostgresBackend.h"

namespace nereid::ops {

using Json = nlohmann::json;

static constexpr std::string_view duplicateTable = "42P07"; // SQLSTATE

// Version 1. Rows are unique by TunedResult::identity(), of which `identity` is
// the digest: PostgreSQL's indexes hold no long texts. The lock, whose number
// is the first half of the MD5 of "nereid_format", lets one session make them
// at a time: CREATE TABLE alone fails in many ways then, with IF NOT EXISTS,
// too.
static constexpr const char *tables = R"sql(
DO $$ BEGIN PERFORM pg_advisory_xact_lock(x'5cad6b65fba05ad2'::bigint); END $$;
CREATE TABLE nereid_format (
  is_one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (is_one),
  version BIGINT NOT NULL,
  oldest_reader BIGINT NOT NULL
);
CREATE TABLE nereid_result (
  identity TEXT PRIMARY KEY,
  "operator" TEXT NOT NULL,
  key_exact TEXT NOT NULL,
  key_bucket TEXT NOT NULL,
  variant TEXT NOT NULL,
  configuration TEXT NOT NULL,
  status TEXT NOT NULL,
  is_default BOOLEAN NOT NULL,
  median_ns DOUBLE PRECISION NOT NULL,
  spread_ns DOUBLE PRECISION NOT NULL,
  samples BIGINT NOT NULL,
  protocol TEXT NOT NULL,
  compiler_plugin TEXT NOT NULL,
  compiler_release TEXT NOT NULL,
  compiler_build TEXT NOT NULL,
  compiler_dependencies TEXT NOT NULL,
  device_name TEXT NOT NULL,
  device_architecture TEXT NOT NULL,
  device_units BIGINT NOT NULL,
  device_driver TEXT NOT NULL,
  "time" BIGINT NOT NULL,
  source TEXT NOT NULL,
  note TEXT NOT NULL,
  checksum TEXT NOT NULL
);
CREATE INDEX nereid_result_operator ON nereid_result USING hash ("operator");
INSERT INTO nereid_format (version, oldest_reader) VALUES (1, 1);
)sql";
static_assert(storeVersion == 1);

// Several may try at once: one of them makes the tables, and the others wait
// for it and are told that there are such tables.
Trouble PostgresBackend::makeTables() {
  Trouble failed = begin();
  std::string ignored;
  if (!failed)
    failed = run(Wait::Lock, tables, ignored);
  if (!failed)
    return run("COMMIT");
  if (!failed.isLost)
    (void)run("ROLLBACK");
  return failed.state == duplicateTable ? Trouble() : failed;
}

// 0 if there is none.
int64_t PostgresBackend::numberIn(const Json &format, const char *name) {
  auto found = format.is_object() ? format.find(name) : format.end();
  bool isNumber = found != format.end() && found->is_number_integer();
  return isNumber ? found->get<int64_t>() : 0;
}

// Refuses versions that we cannot read.
Trouble PostgresBackend::checkFormat() {
  Json format;
  if (Trouble failed = query("SELECT to_json(f) FROM nereid_format f", format))
    return failed;
  serverVersion = numberIn(format, "version");
  if (serverVersion < 1)
    return {NEREID_IO_ERROR, "damaged: its table nereid_format has no version"};
  isNewer = serverVersion > storeVersion;
  if (!isNewer)
    return {};
  std::string version = std::to_string(serverVersion);
  std::string own = std::to_string(storeVersion);
  if (numberIn(format, "oldest_reader") > storeVersion)
    return {NEREID_INCOMPATIBLE,
            "format " + version +
                ", written by a newer Nereid; this one reads up to format " +
                own +
                "\nnote: export it with the newer one ('nereid tune export'), "
                "or use another database"};
  notify(text + ": format " + version + " is newer than " + own +
         " of this Nereid: results are read, none are recorded");
  return {};
}

} // namespace nereid::ops
