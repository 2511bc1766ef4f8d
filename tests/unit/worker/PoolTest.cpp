// PoolTest.cpp - workers that answer, crash, hang, lie and are cancelled.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "worker/Pool.h"

#include "forked_child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <thread>

using namespace nereid::worker;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

static Command fake(std::string ahead = {}) {
  Command command;
  command.words = {PYTHON, FAKE_WORKER};
  if (!ahead.empty())
    command.words.push_back(std::move(ahead));
  command.environment = {"PYTHONPATH=" WORKER_MODULES,
                         "PYTHONDONTWRITEBYTECODE=1"};
  return command;
}

static Message request(std::string what) {
  Message message;
  message.header = {{"do", std::move(what)}, {"number", 1}};
  return message;
}

// Only ends a hang: a loaded machine may need seconds for what takes none.
static constexpr auto hangLimit = 60s;

static Limits within(std::chrono::milliseconds time) {
  Limits limits;
  limits.time = time;
  return limits;
}

static Exchange ask(Pool &pool, std::string what) {
  return pool.ask(request(std::move(what)), within(hangLimit));
}

static pid_t pidOf(const Exchange &exchange) {
  return exchange.answer.header.value("pid", 0);
}

// The state of process `pid` in ps's letter, 0 if there is none.
static char stateOf(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  // Fails, and throws nothing, where it ends meanwhile.
  std::string text;
  std::getline(file, text);
  size_t name = text.rfind(") ");
  return name == std::string::npos ? 0 : text[name + 2];
}

// Waits until process `pid` has ended, collected or not.
static bool ends(pid_t pid) {
  auto limit = Clock::now() + hangLimit;
  while (Clock::now() < limit) {
    char state = stateOf(pid);
    if (!state || state == 'Z')
      return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(PoolTest, AnswersWithTheSameBytes) {
  Pool pool(fake(), {});
  Message message = request("echo");
  std::string bytes(3 << 20, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = char(i * 7 + i / 256);
  message.blobs = {{"one", bytes}, {"none", ""}};
  Exchange exchange = pool.ask(message, within(hangLimit));
  ASSERT_EQ(exchange.end, End::Answered) << exchange.problem;
  EXPECT_EQ(exchange.answer.header["echo"]["do"], "echo");
  EXPECT_EQ(*exchange.answer.blob("one"), bytes);
  EXPECT_EQ(*exchange.answer.blob("none"), "");
}

TEST(PoolTest, KeepsAWorkerAndEndsIdleOnes) {
  PoolLimits limits;
  limits.idle = std::chrono::hours(1);
  Pool patient(fake(), limits);
  pid_t first = pidOf(ask(patient, "echo"));
  ASSERT_GT(first, 0);
  EXPECT_EQ(pidOf(ask(patient, "echo")), first);
  EXPECT_EQ(patient.size(), 1u);
  limits.idle = 10ms;
  Pool hasty(fake(), limits);
  first = pidOf(ask(hasty, "echo"));
  ASSERT_GT(first, 0);
  EXPECT_TRUE(ends(first));
  while (hasty.size())
    std::this_thread::sleep_for(10ms);
  EXPECT_NE(pidOf(ask(hasty, "echo")), first);
}

TEST(PoolTest, WhatAWorkerPrintsDoesNotDisturb) {
  Pool pool(fake(), {});
  Exchange exchange = ask(pool, "print");
  ASSERT_EQ(exchange.end, End::Answered) << exchange.problem;
  EXPECT_THAT(exchange.output, HasSubstr("the end\nnereidWK not a frame"));
  EXPECT_LE(exchange.output.size(), 2 * Command().keptOutput);
  EXPECT_EQ(ask(pool, "echo").end, End::Answered);
}

TEST(PoolTest, EventsComeBeforeTheirAnswer) {
  Pool pool(fake(), {});
  std::vector<int> steps;
  Limits limits = within(hangLimit);
  limits.event = [&](const Message &event) {
    steps.push_back(event.header["step"]);
  };
  EXPECT_EQ(pool.ask(request("events"), limits).end, End::Answered);
  EXPECT_EQ(steps, (std::vector<int>{0, 1, 2}));
}

TEST(PoolTest, ExceptionsAreErrorsOfTheRequest) {
  Pool pool(fake(), {});
  Exchange raised = ask(pool, "raise");
  ASSERT_EQ(raised.end, End::Answered) << raised.problem;
  Json error = raised.answer.header["error"];
  EXPECT_EQ(error["status"], "internal");
  EXPECT_EQ(error["diagnostics"][0]["message"], "ValueError: no such thing");
  error = ask(pool, "refuse").answer.header["error"];
  EXPECT_EQ(error["status"], "invalid-argument");
  EXPECT_EQ(error["diagnostics"][0]["line"], 3);
  EXPECT_EQ(error["diagnostics"][1]["message"], "like that");
}

// A worker that fails is replaced, and the reason has its last output.
TEST(PoolTest, ReportsHowAWorkerEndedAndReplacesIt) {
  Pool pool(fake(), {});
  struct {
    const char *what;
    const char *problem;
    const char *output;
  } cases[] = {
      {"crash", "it crashed with signal 11", "last words"},
      {"kill", "it was killed with signal 9", ""},
      {"exit", "it ended with status 3", "giving up"},
      {"child", "it ended with status 4", ""},
      {"cut", "it ended with status 0", ""},
  };
  for (const auto &each : cases) {
    Exchange exchange = ask(pool, each.what);
    EXPECT_EQ(exchange.end, End::Ended) << each.what;
    EXPECT_THAT(exchange.problem, StartsWith(each.problem)) << each.what;
    EXPECT_THAT(exchange.output, HasSubstr(each.output)) << each.what;
    EXPECT_EQ(pool.size(), 0u) << each.what;
    EXPECT_EQ(ask(pool, "echo").end, End::Answered) << each.what;
  }
}

TEST(PoolTest, FindsAnswersThatAreNotTheRightFrames) {
  Pool pool(fake(), {});
  struct {
    const char *what;
    const char *problem;
  } cases[] = {
      {"digest", "does not match its digest"},
      {"number", "belongs to request 77, expected 1"},
      {"kind", "of kind 1, expected 3"},
  };
  for (const auto &each : cases) {
    Exchange exchange = ask(pool, each.what);
    EXPECT_EQ(exchange.end, End::Garbled) << each.what;
    EXPECT_THAT(exchange.problem, HasSubstr(each.problem)) << each.what;
    EXPECT_EQ(pool.size(), 0u) << each.what;
  }
}

TEST(PoolTest, AWorkerThatHangsIsEndedAtTheLimit) {
  Pool pool(fake(), {});
  pid_t pid = pidOf(ask(pool, "echo"));
  Exchange exchange = pool.ask(request("hang"), within(300ms));
  EXPECT_EQ(exchange.end, End::Late);
  EXPECT_EQ(exchange.problem, "it did not answer within 300 ms");
  EXPECT_EQ(stateOf(pid), 0);
  EXPECT_EQ(ask(pool, "echo").end, End::Answered);
}

TEST(PoolTest, ACancelledRequestEndsItsWorkerSoon) {
  Pool pool(fake(), {});
  std::atomic<bool> isAtWork = false;
  Limits limits = within(hangLimit); // without the cancellation it is late
  limits.event = [&](const Message &) { isAtWork = true; };
  limits.isCancelled = [&] { return isAtWork.load(); };
  EXPECT_EQ(pool.ask(request("hang"), limits).end, End::Cancelled);
  EXPECT_TRUE(isAtWork);
  EXPECT_EQ(pool.size(), 0u);
}

TEST(PoolTest, AWorkerIsKeptToItsMemory) {
  Command command = fake();
  command.memory = uint64_t(512) << 20;
  Pool pool(command, {});
  Message message = request("memory");
  message.header["bytes"] = uint64_t(1) << 30;
  Exchange exchange = pool.ask(message, within(hangLimit));
  ASSERT_EQ(exchange.end, End::Answered) << exchange.problem;
  EXPECT_EQ(exchange.answer.header["error"]["status"], "out-of-resources");
}

TEST(PoolTest, SaysWhyAWorkerDidNotStart) {
  {
    Pool pool(fake("exit"), {});
    Exchange exchange = ask(pool, "echo");
    EXPECT_EQ(exchange.end, End::Ended);
    EXPECT_EQ(exchange.problem, "it ended with status 1");
    EXPECT_THAT(exchange.output,
                AllOf(HasSubstr("a worker starts"), HasSubstr("no compiler")));
  }
  {
    Pool pool(fake("text"), {});
    Exchange exchange = ask(pool, "echo");
    EXPECT_EQ(exchange.end, End::Garbled);
    EXPECT_THAT(exchange.problem, HasSubstr("is not a frame"));
  }
  {
    Pool pool(fake("version"), {});
    EXPECT_THAT(ask(pool, "echo").problem,
                HasSubstr("version 9 of the protocol, expected 1"));
  }
  {
    Command command = fake("hang");
    command.startLimit = 500ms;
    Pool pool(command, {});
    EXPECT_EQ(ask(pool, "echo").problem, "it did not answer within 500 ms");
  }
  {
    Command command = fake();
    command.words[0] = "/nonexistent/python3";
    Pool pool(command, {});
    Exchange exchange = ask(pool, "echo");
    EXPECT_EQ(exchange.end, End::NotStarted);
    EXPECT_THAT(exchange.problem, HasSubstr("'/nonexistent/python3' cannot be "
                                            "started: No such file"));
  }
}

TEST(PoolTest, ParallelRequestsGetSeveralWorkers) {
  PoolLimits limits;
  limits.most = 3;
  Pool pool(fake(), limits);
  // The first three answer once all three are there.
  std::string folder = testing::TempDir() + "nereid-meet-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder.data()));
  std::vector<std::future<Exchange>> pending;
  for (int i = 0; i < 6; ++i)
    pending.push_back(std::async(std::launch::async, [&] {
      Message message = request("meet");
      message.header["folder"] = folder;
      message.header["count"] = 3;
      return pool.ask(message, within(hangLimit));
    }));
  std::set<pid_t> pids;
  for (auto &each : pending) {
    Exchange exchange = each.get();
    ASSERT_EQ(exchange.end, End::Answered) << exchange.problem;
    pids.insert(pidOf(exchange));
  }
  EXPECT_EQ(pids.size(), 3u);
  EXPECT_EQ(pool.size(), 3u);
  std::filesystem::remove_all(folder);
}

TEST(PoolTest, ThereIsAlwaysRoomForOneWorker) {
  EXPECT_EQ(mostWorkers(UINT64_MAX), 1u);
  EXPECT_GE(mostWorkers(1), 1u);
}

TEST(PoolTest, AWorkerThatDiedIdleIsReplacedUnnoticed) {
  Pool pool(fake(), {});
  pid_t pid = pidOf(ask(pool, "echo"));
  kill(pid, SIGKILL);
  siginfo_t info; // it stays to be collected by the pool
  EXPECT_EQ(waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT), 0);
  Exchange exchange = ask(pool, "echo");
  EXPECT_EQ(exchange.end, End::Answered) << exchange.problem;
  EXPECT_EQ(pool.size(), 1u);
}

TEST(PoolTest, AWorkersFolderEndsWithIt) {
  Pool pool(fake(), {});
  Message message = request("environment");
  message.header["name"] = "PYTHONPATH";
  Exchange exchange = pool.ask(message, within(hangLimit));
  EXPECT_EQ(exchange.answer.header["value"], WORKER_MODULES);
  std::string folder = exchange.answer.header["folder"];
  EXPECT_TRUE(std::filesystem::is_directory(folder));
  EXPECT_EQ(ask(pool, "leave").end, End::Ended);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

static bool disappears(const std::string &folder) {
  auto limit = Clock::now() + hangLimit;
  while (Clock::now() < limit && std::filesystem::exists(folder))
    std::this_thread::sleep_for(10ms);
  return !std::filesystem::exists(folder);
}

// Such as a worker of the worker, which ends after it.
TEST(PoolTest, AFolderThatIsStillUsedIsRemovedLater) {
  auto pool = std::make_unique<Pool>(fake(), PoolLimits());
  Exchange exchange = ask(*pool, "linger");
  ASSERT_EQ(exchange.end, End::Answered);
  pool.reset();
  EXPECT_TRUE(disappears(exchange.answer.header["folder"]));
}

// A child of fork() has its own workers, and does not end its parent's. It
// starts a thread for them, which ThreadSanitizer does not allow.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NEREID_TEST_WITHOUT_FORK
#endif
#endif
#if !defined(__SANITIZE_THREAD__) && !defined(NEREID_TEST_WITHOUT_FORK)
TEST(PoolTest, AForkedChildGetsItsOwnWorkers) {
  auto pool = std::make_unique<Pool>(fake(), PoolLimits());
  pid_t before = pidOf(ask(*pool, "echo"));
  EXPECT_TRUE(nereid::test::succeedsInChild([&] {
    Exchange exchange = ask(*pool, "echo");
    bool isGood = exchange.end == End::Answered && pidOf(exchange) != before &&
                  pool->size() == 1;
    pool.reset();
    return isGood;
  }));
  EXPECT_EQ(pidOf(ask(*pool, "echo")), before);
}
#endif

// However the parent ends, and whatever its workers do then.
TEST(PoolTest, WorkersEndWithTheirParent) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  pid_t parent = fork();
  if (parent == 0) {
    Pool pool(fake(), {});
    pid_t worker = pidOf(ask(pool, "echo"));
    (void)!write(pipes[1], &worker, sizeof worker);
    ask(pool, "hang");
    _exit(0);
  }
  pid_t worker = 0;
  ASSERT_EQ(read(pipes[0], &worker, sizeof worker), ssize_t(sizeof worker));
  ASSERT_GT(worker, 0);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(ends(worker)); // as a zombie, where nobody collects it
  close(pipes[0]);
  close(pipes[1]);
}

// Its worker is killed with it, and neither can remove anything.
TEST(PoolTest, AKilledParentLeavesNoFolder) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  pid_t parent = fork();
  if (parent == 0) {
    Pool pool(fake(), {});
    Message message = request("environment");
    message.header["name"] = "PATH";
    Exchange exchange = pool.ask(message, within(hangLimit));
    std::string folder = exchange.answer.header.value("folder", "");
    std::ofstream(folder + "/left") << "in the middle of work";
    (void)!write(pipes[1], folder.data(), folder.size());
    pause();
    _exit(0);
  }
  char buffer[4096];
  ssize_t size = read(pipes[0], buffer, sizeof buffer);
  ASSERT_GT(size, 0);
  std::string folder(buffer, static_cast<size_t>(size));
  EXPECT_TRUE(std::filesystem::exists(folder + "/left"));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(disappears(folder));
  close(pipes[0]);
  close(pipes[1]);
}

// The descriptors of a process; of this one, those that a program that it
// starts inherits.
static std::set<int> descriptorsOf(pid_t pid) {
  std::set<int> numbers;
  for (const auto &entry : std::filesystem::directory_iterator(
           "/proc/" + std::to_string(pid) + "/fd")) {
    int number = std::stoi(entry.path().filename());
    if (pid != getpid() || !(fcntl(number, F_GETFD) & FD_CLOEXEC))
      numbers.insert(number);
  }
  return numbers;
}

TEST(PoolTest, DescriptorsOfPoolsAreNotInherited) {
  std::set<int> expected = descriptorsOf(getpid());
  expected.insert({0, 1, 2, 3});
  Pool first(fake(), {});
  ask(first, "echo");
  Pool second(fake(), {});
  pid_t pid = pidOf(ask(second, "echo"));
  EXPECT_EQ(descriptorsOf(pid), expected);
}
