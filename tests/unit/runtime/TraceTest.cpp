// TraceTest.cpp - the trace file is whole JSON at every moment.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Trace.h"
#include "support/Json.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nereid::host;

static std::string traceFile(const char *name) {
  return testing::TempDir() + "nereid-" + std::to_string(getpid()) + '-' +
         name + ".json";
}

static Json readJson(const std::string &path) {
  std::ifstream file(path);
  return Json::parse(file, nullptr, false);
}

// Warnings of the traces that a test opens.
static std::vector<std::string> warnings;

static const Log &testLog() {
  static const Log log(
      [](void *, nereid_string_t, const nereid_diagnostic_t *diagnostic) {
        warnings.emplace_back(view(diagnostic->message));
      },
      nullptr, NEREID_SEVERITY_WARNING);
  return log;
}

static Result<std::shared_ptr<Trace>> open(const std::string &path) {
  warnings.clear();
  return Trace::open(path, testLog());
}

TEST(TraceTest, IsValidJsonAfterEveryEvent) {
  std::string path = traceFile("whole");
  Result<std::shared_ptr<Trace>> trace = open(path);
  ASSERT_TRUE(trace);
  EXPECT_FALSE(readJson(path).is_discarded());
  for (int i = 0; i < 3; ++i) {
    TraceSpan(trace->get(), "stage", "a \"quoted\"\n name\xff")
        .argument("plugin", "x");
    Json json = readJson(path);
    ASSERT_FALSE(json.is_discarded());
    // The first event names the process.
    EXPECT_EQ(json["traceEvents"].size(), static_cast<size_t>(i) + 2);
  }
  Json event = readJson(path)["traceEvents"][1];
  EXPECT_EQ(event["ph"], "X");
  EXPECT_EQ(event["cat"], "stage");
  EXPECT_EQ(event["pid"], getpid());
  EXPECT_EQ(event["tid"], gettid());
  EXPECT_EQ(event["args"]["plugin"], "x");
  EXPECT_GE(event["dur"].get<double>(), 0);
  std::filesystem::remove(path);
}

TEST(TraceTest, BuffersLaunchesUntilItIsClosed) {
  std::string path = traceFile("launch");
  {
    Result<std::shared_ptr<Trace>> trace = open(path);
    ASSERT_TRUE(trace);
    (*trace)->flush();
    (*trace)->add("launch", "kernel", traceNow(), {}, true);
    EXPECT_EQ(readJson(path)["traceEvents"].size(), 1u);
  }
  EXPECT_EQ(readJson(path)["traceEvents"].size(), 2u);
  std::filesystem::remove(path);
}

TEST(TraceTest, TakesEventsOfManyThreadsAndNoneOfAFork) {
  std::string path = traceFile("threads");
  Result<std::shared_ptr<Trace>> trace = open(path);
  ASSERT_TRUE(trace);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j)
        TraceSpan span(trace->get(), "stage", "name");
    });
  for (std::thread &thread : threads)
    thread.join();
  pid_t child = fork();
  if (child == 0) {
    {
      TraceSpan span(trace->get(), "stage", "in the child");
    }
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(readJson(path)["traceEvents"].size(), 401u);
  std::filesystem::remove(path);
}

TEST(TraceTest, SharesAFileAndExpandsTheProcessId) {
  std::string name = testing::TempDir() + "nereid-%p-%p-shared.json";
  Result<std::shared_ptr<Trace>> first = open(name);
  Result<std::shared_ptr<Trace>> second = open(name);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->get(), second->get());
  std::string process = std::to_string(getpid());
  EXPECT_TRUE(std::filesystem::remove(testing::TempDir() + "nereid-" + process +
                                      "-" + process + "-shared.json"));
}

TEST(TraceTest, ReportsWhyItCannotBeWritten) {
  Result<std::shared_ptr<Trace>> trace = open("/nowhere/trace.json");
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.failure().text, "/nowhere/trace.json: cannot write the "
                                  "trace: no such file or directory");
}

TEST(TraceTest, WritesWhatIsBufferedWhenTheProcessExits) {
  std::string path = traceFile("exit");
  pid_t child = fork();
  if (child == 0) {
    // Never destroyed, as in a program that leaks its runtime.
    auto *trace = new std::shared_ptr<Trace>(*open(path));
    (*trace)->add("launch", "kernel", traceNow(), {}, true);
    exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(readJson(path)["traceEvents"].size(), 2u);
  std::filesystem::remove(path);
}

TEST(TraceTest, OfASecondProcessIsWrittenBesideThatOfTheFirst) {
  std::string path = traceFile("two");
  Result<std::shared_ptr<Trace>> first = open(path);
  ASSERT_TRUE(first);
  pid_t child = fork();
  if (child == 0) {
    Result<std::shared_ptr<Trace>> second = open(path);
    if (second)
      TraceSpan(second->get(), "stage", "of the second");
    _exit(second && warnings.size() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  std::string other = path + '.' + std::to_string(child);
  EXPECT_EQ(readJson(other)["traceEvents"].size(), 2u);
  {
    TraceSpan span(first->get(), "stage", "of the first");
  }
  EXPECT_EQ(readJson(path)["traceEvents"].size(), 2u);
  std::filesystem::remove(path);
  std::filesystem::remove(other);
}

TEST(TraceTest, FileIsFreeAgainOnceItsProcessHasClosedIt) {
  std::string path = traceFile("again");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Result<std::shared_ptr<Trace>> first = open(path);
  ASSERT_TRUE(first);
  pid_t child = fork(); // has the file open, too
  if (child == 0) {
    char byte;
    _exit(close(ends[1]) == 0 && read(ends[0], &byte, 1) == 0 ? 0 : 1);
  }
  first->reset();
  Result<std::shared_ptr<Trace>> second = open(path);
  EXPECT_TRUE(second);
  EXPECT_TRUE(warnings.empty());
  close(ends[1]);
  close(ends[0]);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  std::filesystem::remove(path);
}

TEST(TraceTest, RefusesAnythingButARegularFile) {
  std::string fifo = traceFile("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Result<std::shared_ptr<Trace>> trace = open(fifo);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.failure().text, fifo + ": cannot write the trace: it is a "
                                         "FIFO, expected a regular file");
  std::filesystem::remove(fifo);
  EXPECT_FALSE(open("/dev/full"));
}

TEST(TraceTest, WarnsOnceWhenItCannotBeContinued) {
  std::string path = traceFile("limit");
  pid_t child = fork();
  if (child == 0) {
    Result<std::shared_ptr<Trace>> trace = open(path);
    rlimit limit = {512, 512};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; trace && i < 20; ++i)
      TraceSpan(trace->get(), "stage", "name");
    _exit(warnings == std::vector{path + ": cannot write the trace: file too "
                                         "large; it ends here"}
              ? 0
              : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(readJson(path).is_discarded());
  std::filesystem::remove(path);
}

TEST(TraceTest, ItsWarningMayOpenItAgain) {
  static std::string path = traceFile("again");
  static bool isOpenedAgain = false;
  pid_t child = fork();
  if (child == 0) {
    static const Log log(
        [](void *, nereid_string_t, const nereid_diagnostic_t *) {
          isOpenedAgain = bool(Trace::open(path, testLog()));
        },
        nullptr, NEREID_SEVERITY_WARNING);
    alarm(60); // a deadlock ends
    Result<std::shared_ptr<Trace>> trace = Trace::open(path, log);
    rlimit limit = {512, 512};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; trace && i < 20; ++i)
      TraceSpan(trace->get(), "stage", "name");
    _exit(isOpenedAgain ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  std::filesystem::remove(path);
}
