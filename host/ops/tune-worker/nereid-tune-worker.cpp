// nereid-tune-worker.cpp - the process in which candidates are built and timed
// (docs/tuning.md), with a socket as file 3. A kernel may crash it or hang it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A request has "do", the "setup" that names plugins, packs and the target, an
// "operator" and a "call":
//
//   open        -> nothing; the others open the setup too
//   candidates  -> origin, protocol, and nereid_operator_candidates()
//   build       compiles "choice", which fills the cache
//   time        -> "status", "note", and the measurement of "choice"
//
// An answer has "error" and "code" if the request could not be done.

#include "CallTimer.h"

#include "Errors.h"
#include "nereid/ops.h"
#include "nereid/tune.h"
#include "worker/Serve.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace nereid::tuner {

using tools::invalid;

namespace {
/// Everything of one setup. Never destroyed: a plugin may crash in that.
struct Session {
  std::string setup; ///< its JSON
  std::optional<Runtime> runtime;
  nereid_ops_t *packs = nullptr;
  std::optional<Place> place;
  nereid_ops_device_t *device = nullptr;
  std::string deviceType;
  Json origin;
};

/// What the process keeps between requests.
struct State {
  std::unique_ptr<Session> session;
  std::string taskText;
  std::unique_ptr<CallTimer> timer;
};
} // namespace

static Expected<Json> takeObject(nereid_status_t status,
                                 nereid_buffer_t *buffer) {
  Expected<std::string> text = detail::take(status, buffer);
  if (!text)
    return text.error();
  return Json::parse(*text, nullptr, false);
}

static Expected<std::unique_ptr<Session>> open(const Json &setup) {
  auto session = std::make_unique<Session>();
  session->setup = setup.dump();
  std::string pluginDirs = setup.value("plugin_dirs", ""),
              compiler = setup.value("compiler", ""),
              target = setup.value("target", ""),
              packs = setup.value("packs", ""),
              python = setup.value("python", "");
  auto options = detail::sized<nereid_runtime_options_t>();
  options.host_name = detail::borrow("nereid-tune-worker");
  options.plugin_dirs = detail::borrow(pluginDirs);
  options.compiler = detail::borrow(compiler);
  options.flags = setup.value("no_cache", false) ? NEREID_RUNTIME_NO_CACHE : 0u;
  Expected<Runtime> runtime = Runtime::create(&options);
  if (!runtime)
    return runtime.error();
  session->runtime.emplace(std::move(*runtime));
  Json plugins = setup.value("plugins", Json::array());
  for (const Json &plugin : plugins)
    if (Expected<Backend> loaded =
            session->runtime->load(plugin.get<std::string>());
        !loaded)
      return loaded.error();
  Expected<Runtime::Choice> chosen = session->runtime->choose(target);
  if (!chosen)
    return chosen.error();
  auto facts = detail::sized<nereid_target_t>();
  if (nereid_status_t status =
          nereid_backend_target(chosen->backend.get(), chosen->device, &facts))
    return detail::lastError(status);
  session->deviceType = detail::view(facts.backend);
  session->place.emplace(
      Place{chosen->backend, chosen->device, session->deviceType == "cpu"});

  auto found = detail::sized<nereid_ops_options_t>();
  found.pack_dirs = detail::borrow(packs);
  if (nereid_status_t status = nereid_ops_create(&found, &session->packs))
    return detail::lastError(status);
  auto load = detail::sized<nereid_ops_load_t>();
  load.runtime = session->runtime->get();
  load.backend = chosen->backend.get();
  load.device = chosen->device;
  load.python = detail::borrow(python);
  load.tuning = detail::borrow("off"); // what is timed is always named
  if (nereid_status_t status =
          nereid_ops_load(session->packs, &load, &session->device))
    return detail::lastError(status);
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status =
      nereid_tune_origin(chosen->backend.get(), chosen->device, &buffer);
  Expected<Json> origin = takeObject(status, buffer);
  if (!origin)
    return origin.error();
  session->origin = std::move(*origin);
  return session;
}

static Expected<Json> candidates(const Session &session, nereid_operator_t *op,
                                 TaskCall &call, bool areExpanded) {
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_operator_candidates(
      op, call.nowhere({}), areExpanded ? NEREID_CANDIDATES_EXPANDED : 0u,
      &buffer);
  Expected<Json> found = takeObject(status, buffer);
  if (!found)
    return found;
  (*found)["origin"] = session.origin;
  (*found)["protocol"] =
      session.place->isHost ? "sweep 1, cold calls" : "sweep 1, cold groups";
  return found;
}

// Tells the other side why, and ends the process: nobody knows what state the
// device is in.
static void endWith(const worker::SendEvent &event, const std::string &reason) {
  event({{"failed", reason}});
  _exit(3);
}

static Expected<Json> time(State &state, nereid_operator_t *op, TaskCall call,
                           const Json &request,
                           const worker::SendEvent &event) {
  auto fail = [event](const std::string &reason) { endWith(event, reason); };
  std::string task = request.value("operator", "") + request["call"].dump();
  std::string choice = request["choice"].dump(),
              standard = request["default"].dump();
  if (!state.timer || state.taskText != task) {
    state.timer.reset();
    Expected<Json> described = candidates(*state.session, op, call, false);
    if (!described)
      return described.error();
    if (Expected<void> added = call.addOutputs((*described)["outputs"]); !added)
      return added.error();
    state.timer =
        std::make_unique<CallTimer>(*state.session->place, op, std::move(call),
                                    (*described)["values"], fail);
    state.taskText = task;
  }
  if (!state.timer->hasReference()) {
    // A failure of it is told apart from one of the candidate.
    event({{"step", "default"}});
    Expected<std::string> reason = state.timer->makeReference(standard);
    if (!reason)
      return reason.error();
    if (!reason->empty() && choice != standard)
      return Error{NEREID_UNAVAILABLE, "the default: " + *reason};
    if (!reason->empty())
      return Json{{"status", "failed"}, {"note", *reason}};
  }
  event({{"step", "candidate"}});
  Expected<Timing> timing = state.timer->time(
      choice, request.value("best", 0.0), request.value("seconds", 0.2));
  if (!timing)
    return timing.error();
  return Json{{"status", timing->status},
              {"note", timing->note},
              {"median_ns", timing->measurement.median},
              {"spread_ns", timing->measurement.spread},
              {"samples", timing->measurement.samples}};
}

static Expected<Json> answerTo(State &state, const Json &request,
                               const worker::SendEvent &event) {
  std::string setup = request.value("setup", Json::object()).dump();
  if (!state.session || state.session->setup != setup) {
    if (state.session)
      return invalid("this worker has another setup");
    Expected<std::unique_ptr<Session>> opened = open(request["setup"]);
    if (!opened)
      return opened.error();
    state.session = std::move(*opened);
  }
  std::string wanted = request.value("do", ""),
              name = request.value("operator", "");
  if (wanted == "open")
    return Json::object();
  nereid_operator_t *op = nullptr;
  if (nereid_status_t status =
          nereid_ops_operator(state.session->device, detail::borrow(name), &op))
    return detail::lastError(status);
  Expected<TaskCall> call =
      TaskCall::parse(request.value("call", Json::object()),
                      state.session->deviceType, state.session->place->device);
  if (!call)
    return call.error();
  if (wanted == "candidates")
    return candidates(*state.session, op, *call,
                      request.value("expanded", false));
  if (wanted == "build") {
    std::string choice = request["choice"].dump();
    if (nereid_status_t status =
            nereid_operator_prepare(op, call->nowhere(choice)))
      return detail::lastError(status);
    return Json::object();
  }
  if (wanted == "time")
    return time(state, op, std::move(*call), request, event);
  return invalid("unknown request '" + wanted + "'");
}

} // namespace nereid::tuner

int main(int count, char **) {
  if (count != 1 || fcntl(3, F_GETFD) < 0) {
    std::fputs("usage: nereid-tune-worker (run by libnereid-ops)\n", stderr);
    return 2;
  }
  using namespace nereid;
  // Ctrl-C is for the program that runs this one; it closes the socket.
  std::signal(SIGINT, SIG_IGN);
  tuner::State state;
  int status = worker::serve(
      worker::Json::object(),
      [&](worker::Message request, const worker::SendEvent &event) {
        worker::Message answer;
        Expected<tuner::Json> made =
            tuner::answerTo(state, request.header, event);
        answer.header = made ? *made
                             : tuner::Json{{"error", made.error().text},
                                           {"code", made.error().status}};
        return answer;
      });
  // Without destructors: a plugin may crash in its own.
  _exit(status);
}
