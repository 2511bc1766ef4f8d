// Check.cpp - runs conformance checks, each in a process of its own.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "check/Check.h"

#include "process/HelperProcess.h"
#include "support/Json.h"

#include <cstring>
#include <sys/wait.h>

namespace nereid::host {

static constexpr std::chrono::seconds checkLimit{60};

static constexpr std::span<const Check> (*parts[])() = {
    fileChecks,   compilerChecks, driverChecks,
    memoryChecks, streamChecks,   kernelChecks};

namespace {
struct CheckResult {
  std::string result, detail;
};
} // namespace

static CheckResult interpret(const HelperResult &ended) {
  // How far it came, a line end, the result, a line end, the detail.
  size_t begin = ended.text.find('\n');
  std::string_view steps = std::string_view(ended.text).substr(0, begin);
  std::string where;
  if (!steps.empty() && steps.back() != '-')
    where = " in " + stepName(stepOf(steps.back()));
  if (ended.isLate)
    return {"fail", "did not end within " + std::to_string(checkLimit.count()) +
                        " s" + where};
  if (ended.status != -1 && WIFSIGNALED(ended.status))
    return {"fail", std::string("crashed: ") +
                        strsignal(WTERMSIG(ended.status)) + where};
  size_t end =
      begin == std::string::npos ? begin : ended.text.find('\n', begin + 1);
  if (end == std::string::npos)
    return {"fail", "ended the process with exit status " +
                        std::to_string(WEXITSTATUS(ended.status)) + where};
  return {ended.text.substr(begin + 1, end - begin - 1),
          ended.text.substr(end + 1)};
}

Result<Json> validatePlugin(const CheckRequest &request,
                            const std::string &helper) {
  Json results = Json::array();
  std::string broken; // the check without which the others make no sense
  for (auto part : parts)
    for (const Check &check : part()) {
      CheckResult result = {"skip", "check '" + broken + "' did not pass"};
      if (broken.empty()) {
        std::vector<std::string> arguments = {
            "--check", std::string(check.name), request.path};
        arguments.push_back(request.compilerPath);
        if (const Target &target = request.target; !target.isEmpty())
          arguments.insert(arguments.end(),
                           {target.backend, target.arch, target.features,
                            std::to_string(target.warpSize)});
        Result<HelperResult> ended = runHelper(helper, arguments, checkLimit,
                                               HelperOutput::StandardError);
        if (!ended)
          return ended.failure();
        result = interpret(*ended);
      }
      if (check.name == "loads" && result.result != "pass")
        broken = check.name;
      results.push_back({{"check", check.name},
                         {"about", check.about},
                         {"result", result.result},
                         {"detail", result.detail}});
    }
  return results;
}

static CheckResult resultOf(const Check &check, const CheckRequest &request,
                            const std::function<void(char)> &progress) {
  // Left to the end of the process: a plugin that breaks while it is shut down
  // fails the checks of that, and no other.
  auto *subject = new CheckedPlugin(request, progress);
  try {
    check.run(*subject);
    return {"pass", ""};
  } catch (const CheckSkipped &skipped) {
    return {"skip", skipped.why};
  } catch (const CheckFailed &failed) {
    return {"fail", failed.why};
  } catch (const std::exception &error) {
    return {"fail", std::string("unexpected exception: ") + error.what()};
  } catch (...) {
    return {"fail", "unexpected exception"};
  }
}

bool runCheck(std::string_view name, const CheckRequest &request,
              int pipe) noexcept {
  auto progress = [pipe](char step) { sendToParent(pipe, {&step, 1}); };
  for (auto part : parts)
    for (const Check &check : part()) {
      if (check.name != name)
        continue;
      CheckResult result = resultOf(check, request, progress);
      sendToParent(pipe, '\n' + result.result + '\n' + result.detail);
      return true;
    }
  return false;
}

} // namespace nereid::host
