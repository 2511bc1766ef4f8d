// TraceTest.cpp - the trace file is whole JSON at every moment.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Trace.h"
#include "Json.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nereid;

static std::string traceFile(const char *name) {
  return testing::TempDir() + "nereid-" + std::to_string(getpid()) + '-' +
         name + ".json";
}

static Json readJson(const std::string &path) {
  std::ifstream file(path);
  return Json::parse(file, nullptr, false);
}

TEST(TraceTest, IsWholeAfterEveryEvent) {
  std::string path = traceFile("whole");
  Result<std::shared_ptr<Trace>> trace = Trace::open(path);
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
    Result<std::shared_ptr<Trace>> trace = Trace::open(path);
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
  Result<std::shared_ptr<Trace>> trace = Trace::open(path);
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
  std::string name = testing::TempDir() + "nereid-%p-shared.json";
  Result<std::shared_ptr<Trace>> first = Trace::open(name);
  Result<std::shared_ptr<Trace>> second = Trace::open(name);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->get(), second->get());
  EXPECT_TRUE(std::filesystem::remove(traceFile("shared")));
}

TEST(TraceTest, SaysWhyItCannotBeWritten) {
  Result<std::shared_ptr<Trace>> trace = Trace::open("/nowhere/trace.json");
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.failure().text, "/nowhere/trace.json: cannot write the "
                                  "trace: No such file or directory");
}

TEST(TraceTest, WritesWhatIsBufferedWhenTheProcessExits) {
  std::string path = traceFile("exit");
  pid_t child = fork();
  if (child == 0) {
    // Never destroyed, as in a program that leaks its runtime.
    auto *trace = new std::shared_ptr<Trace>(*Trace::open(path));
    (*trace)->add("launch", "kernel", traceNow(), {}, true);
    exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(readJson(path)["traceEvents"].size(), 2u);
  std::filesystem::remove(path);
}
