// PostgresBackend.h - a store on a PostgreSQL server, through a helper process.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// This library links no client of PostgreSQL, which would bring OpenSSL,
// Kerberos and LDAP into every program that links it, and which waits without a
// deadline for a whole answer: the program nereid-tune-postgres does.

#ifndef NEREID_OPS_STORE_POSTGRES_BACKEND_H
#define NEREID_OPS_STORE_POSTGRES_BACKEND_H

#include "store/Backend.h"
#include "worker/Pool.h"

#include <nlohmann/json.hpp>

namespace nereid::ops {

/// What the server or the helper answered, and in words.
struct Trouble {
  nereid_status_t status = NEREID_OK;
  std::string text = {};
  std::string state = {};
  bool isLost = false; ///< there is no connection any more

  explicit operator bool() const { return status != NEREID_OK; }
};

class PostgresBackend final : public Backend {
public:
  PostgresBackend(StoreOptions options, Notify notify);

  const std::string &name() const override { return text; }
  Outcome open() override;
  int64_t version() const override { return serverVersion; }
  bool isReadOnly() const override {
    return options.isReadOnly || isNewer || !mayWrite;
  }
  Result<StoredRows> read(std::string_view operatorName) override;
  Outcome update(const Change &change) override;
  Outcome write(std::span<const TunedResult> results) override;

private:
  using Json = nlohmann::json;

  /// What a request may wait for.
  enum class Wait { Server, Lock, Rows };
  Trouble ask(worker::Message request, std::chrono::milliseconds limit,
              std::string &rows);
  Trouble run(Wait wait, std::string sql, std::string &rows,
              std::vector<std::string> values = {});
  Trouble run(std::string sql);
  Trouble query(std::string sql, Json &row, Wait wait = Wait::Server);
  Trouble connect();
  Trouble checkFormat();
  Trouble makeTables();
  Trouble begin();
  Trouble readRows(std::string_view operatorName, StoredRows &stored);
  Trouble insert(std::span<const TunedResult> results);
  template <typename Work> Trouble attempt(Work work);
  template <typename Work> Trouble writing(Work work);
  Failure failure(const Trouble &trouble) const;
  /// 0 if there is none.
  static int64_t numberIn(const Json &format, const char *name);

  const StoreOptions options;
  const Notify notify;
  const std::string text; // the address without the password
  worker::Pool pool;
  bool isConnected = false;
  int64_t serverVersion = 0;
  bool isNewer = false; // than this library: read only
  bool mayWrite = true;
  Trouble last; // why there is no connection
  worker::Clock::time_point pausedUntil{};
};

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_POSTGRES_BACKEND_H
