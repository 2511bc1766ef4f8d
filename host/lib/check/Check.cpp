// Check.cpp - runs conformance checks, each in a child process.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "check/Check.h"

#include "abi/Call.h"
#include "compile/TtirService.h"
#include "support/File.h"
#include "support/Json.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereid::host {

static constexpr std::chrono::seconds checkLimit{60};

Plugin &CheckedPlugin::plugin() {
  if (loaded)
    return *loaded;
  RegistryOptions options;
  options.loader.allowsWritable = true; // a vendor's own build directory
  options.loader.isProbeIsolated = isIsolated;
  // A device that is slow to start is no fault.
  options.loader.probeTimeoutMs = std::chrono::milliseconds(checkLimit).count();
  options.usesDefaultDirs = false;
  options.loader.extensions = hostExtensions();
  registry = std::make_unique<PluginRegistry>(std::move(options), &log);
  Result<std::shared_ptr<Plugin>> result = registry->load(path);
  if (!result)
    throw CheckFailed{result.failure().text};
  loaded = std::move(*result);
  return *loaded;
}

Plugin &CheckedPlugin::compiler() {
  if (!plugin().hasCompiler)
    throw CheckSkipped{"the plugin has no compiler"};
  return *loaded;
}

Plugin &CheckedPlugin::activeDriver() {
  if (!plugin().hasDriver)
    throw CheckSkipped{"the plugin has no driver"};
  if (loaded->probe.score <= 0)
    throw CheckSkipped{"the driver is not active: " + loaded->probeReason};
  return *loaded;
}

Target CheckedPlugin::target() {
  Plugin &subject = compiler();
  Target target;
  target.backend = subject.info.deviceType;
  if (subject.hasDriver && subject.probe.score > 0) {
    Result<Target> found = Target::ofDevice(subject, 0, &log);
    if (!found)
      throw CheckFailed{found.failure().text};
    target = std::move(*found);
  }
  int32_t score = 0;
  nereid_target_t raw = target.get();
  Call call(&log, subject.info);
  nereid_status_t status = call.run([&] {
    return subject.compiler.score_target(subject.state, &raw, &score,
                                         call.get());
  });
  if (status != NEREID_OK)
    throw CheckFailed{call.failure(status, "score_target").text};
  if (score <= 0)
    throw CheckSkipped{"the compiler does not serve target '" + target.text() +
                       "'"};
  return target;
}

void CheckedPlugin::unload() {
  loaded.reset();
  registry.reset();
}

static size_t countEntries(const char *directory) {
  size_t count = 0;
  for ([[maybe_unused]] auto &entry :
       std::filesystem::directory_iterator(directory))
    ++count;
  return count;
}

ProcessCounts ProcessCounts::now() {
  return {countEntries("/proc/self/fd"), countEntries("/proc/self/task")};
}

namespace {
struct CheckResult {
  std::string result, detail;
};
} // namespace

// In the child: the result of `check` as its name and its detail.
static CheckResult runCheck(const Check &check, const std::string &path) {
  try {
    CheckedPlugin subject(path);
    check.run(subject);
    return {"pass", ""};
  } catch (const CheckSkipped &skipped) {
    return {"skip", skipped.why};
  } catch (const CheckFailed &failed) {
    return {"fail", failed.why};
  } catch (const std::exception &error) {
    return {"fail", std::string("unexpected exception: ") + error.what()};
  }
}

[[noreturn]] static void runChild(const Check &check, const std::string &path,
                                  int pipe) {
  // What the plugin prints must not mix with what the program prints.
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  CheckResult result = runCheck(check, path);
  std::string text = result.result + '\n' + result.detail;
  for (size_t done = 0; done < text.size();) {
    ssize_t count = ::write(pipe, text.data() + done, text.size() - done);
    if (count <= 0)
      break;
    done += static_cast<size_t>(count);
  }
  ::_exit(0);
}

// Not collected yet. If the program ignores its children, there is none left.
static bool hasEnded(pid_t child) {
  siginfo_t info = {};
  int failed = ::waitid(P_PID, static_cast<id_t>(child), &info,
                        WEXITED | WNOHANG | WNOWAIT);
  return failed ? errno == ECHILD : info.si_pid == child;
}

// Reads until the child closes its end or has ended: a process that it leaves
// behind has that end as well. False if it takes too long.
static bool readAll(int pipe, pid_t child, std::string &text) {
  static constexpr int pause = 20;
  auto end = std::chrono::steady_clock::now() + checkLimit;
  for (char buffer[4096];;) {
    if (std::chrono::steady_clock::now() >= end)
      return false;
    // Asked first: what it has written is then there.
    bool isLast = hasEnded(child);
    pollfd wanted = {pipe, POLLIN, 0};
    int ready = ::poll(&wanted, 1, isLast ? 0 : pause);
    if (ready < 0 && errno != EINTR)
      return false;
    if (ready == 0 && isLast)
      return true;
    if (ready <= 0)
      continue;
    ssize_t count = ::read(pipe, buffer, sizeof buffer);
    if (count <= 0)
      return true;
    text.append(buffer, static_cast<size_t>(count));
  }
}

static CheckResult interpret(const std::string &text, bool isInTime,
                             int status) {
  if (!isInTime)
    return {"fail",
            "did not end within " + std::to_string(checkLimit.count()) + " s"};
  if (WIFSIGNALED(status))
    return {"fail", std::string("crashed: ") + strsignal(WTERMSIG(status))};
  size_t end = text.find('\n');
  if (end == std::string::npos)
    return {"fail", "ended the process with exit status " +
                        std::to_string(WEXITSTATUS(status))};
  return {text.substr(0, end), text.substr(end + 1)};
}

static CheckResult runInChild(const Check &check, const std::string &path) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return {"skip", "no pipe: " + errorText(errno)};
  pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    runChild(check, path, ends[1]);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return {"skip", "no child process: " + errorText(errno)};
  }
  std::string text;
  bool isInTime = readAll(ends[0], child, text);
  ::close(ends[0]);
  if (!isInTime)
    ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  return interpret(text, isInTime, status);
}

Json validatePlugin(const std::string &path) {
  Json results = Json::array();
  std::string broken; // the check without which the others make no sense
  for (std::span<const Check> part :
       {fileChecks(), compilerChecks(), driverChecks(), kernelChecks()})
    for (const Check &check : part) {
      CheckResult result =
          broken.empty()
              ? runInChild(check, path)
              : CheckResult{"skip", "check '" + broken + "' did not pass"};
      if (check.name == "loads" && result.result != "pass")
        broken = check.name;
      results.push_back({{"check", check.name},
                         {"result", result.result},
                         {"detail", result.detail}});
    }
  return results;
}

} // namespace nereid::host
