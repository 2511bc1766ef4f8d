// accuracy_sweep.cpp - the largest errors of a plugin's functions of one f32.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Sweep.h"

#include "CLI/CLI.hpp"
#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

using namespace nereid::test;

struct Settings {
  std::string plugin;
  uint64_t stride = 1;
  double bound = 0; // of all functions, if not 0
  bool isExactToo = true;
  std::vector<std::string> names;
};

static bool isWanted(const Settings &settings, const std::string &name) {
  return settings.names.empty() ||
         std::find(settings.names.begin(), settings.names.end(), name) !=
             settings.names.end();
}

static void show(const char *what, const Found &found) {
  std::printf(" %s %.9g (%a) = %.9g for %.12g", what, found.x, found.x,
              found.got, found.exact);
}

class Report {
public:
  explicit Report(const Settings &settings) : settings(settings) {}

  void accurate(const ExternKernel &kernel, const AccurateFunction &function) {
    SweepResult result = sweep(kernel, function, settings.stride);
    double bound = settings.bound > 0 ? settings.bound : function.bound;
    std::printf("%-14s %7.3f of %.2f ulp,", function.name, result.error, bound);
    show("at", result.worst);
    end(result, result.error > bound);
  }

  void exact(const ExternKernel &kernel, const ListedFunction &function,
             const ExactReference &reference) {
    SweepResult result =
        sweepExactly(kernel, function, reference, settings.stride);
    std::printf("%-20s exact", function.symbol.c_str());
    end(result, false);
  }

  void unknown(const std::string &symbol) {
    std::printf("%s has no reference\n", symbol.c_str());
    failed = true;
  }
  bool hasFailed() const { return failed; }

private:
  void end(const SweepResult &result, bool isAbove) {
    if (isAbove)
      std::printf(", above its bound");
    if (result.wrong > 0) {
      std::printf(", %llu wrong:", (unsigned long long)result.wrong);
      show("", result.firstWrong);
    }
    auto now = std::chrono::steady_clock::now();
    std::printf(" [%.0f s]\n",
                std::chrono::duration<double>(now - started).count());
    std::fflush(stdout);
    started = now;
    failed |= isAbove || result.wrong > 0;
  }

  const Settings &settings;
  std::chrono::steady_clock::time_point started =
      std::chrono::steady_clock::now();
  bool failed = false;
};

static const AccurateFunction *findAccurate(const std::string &name) {
  for (const AccurateFunction &function : accurateFunctions())
    if (name == function.name)
      return &function;
  return nullptr;
}

// The operations of the math dialect, which no plugin lists.
static std::vector<ListedFunction> operations() {
  std::vector<ListedFunction> list;
  for (const AccurateFunction &function : accurateFunctions()) {
    std::string name = function.name;
    if (name.starts_with("math."))
      list.push_back({name, name, "f32", {"f32"}});
  }
  return list;
}

static bool sweepPlugin(const Settings &settings) {
  LoadedPlugin plugin(settings.plugin);
  auto exact = exactReferences();
  std::vector<ListedFunction> functions = plugin.functions();
  for (const ListedFunction &operation : operations())
    functions.push_back(operation);
  Report report(settings);
  for (const ListedFunction &function : functions) {
    bool isUnary = function.operands == std::vector<std::string>{"f32"};
    if (!isUnary || (!isWanted(settings, function.name) &&
                     !isWanted(settings, function.symbol)))
      continue;
    auto found = exact.find(function.symbol);
    if (found != exact.end() && !settings.isExactToo)
      continue;
    ExternKernel kernel(plugin, function, "");
    if (found != exact.end())
      report.exact(kernel, function, found->second);
    else if (const AccurateFunction *accurate = findAccurate(function.name))
      report.accurate(kernel, *accurate);
    else
      report.unknown(function.symbol);
  }
  // Kernels report failures to GoogleTest.
  return !report.hasFailed() &&
         testing::UnitTest::GetInstance()->ad_hoc_test_result().Passed();
}

int main(int argc, char **argv) {
  CLI::App app("the largest errors of a plugin's functions of one f32");
  Settings settings;
  bool isInexactOnly = false;
  app.add_option("--plugin", settings.plugin)->required();
  app.add_option("--every", settings.stride,
                 "every Nth input, and special ones")
      ->check(CLI::PositiveNumber);
  app.add_option("--bound", settings.bound, "instead of each function's");
  app.add_flag("--inexact", isInexactOnly, "not those with one right result");
  app.add_option("functions", settings.names);
  CLI11_PARSE(app, argc, argv);
  settings.isExactToo = !isInexactOnly;
  return sweepPlugin(settings) ? 0 : 1;
}
