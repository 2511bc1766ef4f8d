// Link.cpp - lld, which reads files and is not thread-safe.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Link.h"

#include "../../image_digest.h"
#include "kernel/FatalErrors.h"
#include "kernel/ForkSafeMutex.h"
#include "MemoryFile.h"
#include "OutputPipe.h"
#include "kernel/QuietThreads.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace nereid::cpu {

/// lld uses global variables. A fork() waits until a link is finished, which
/// takes some milliseconds: the child could not finish it.
static codegen::ForkSafeMutex lldMutex;

/// Lets lld return from errors at which it would exit the process. LLVM also
/// installs signal handlers for this, which belong to the host program; they
/// are restored at once.
static void catchExits() {
  constexpr int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
  struct sigaction before[std::size(signals)];
  for (auto [signal, action] : llvm::zip(signals, before))
    sigaction(signal, nullptr, &action);
  llvm::CrashRecoveryContext::Enable();
  for (auto [signal, action] : llvm::zip(signals, before))
    sigaction(signal, &action, nullptr);
}

namespace {
struct LldResult {
  int status = 1;
  bool gaveUp = false; // half-way, with objects that are not whole
};
} // namespace

static LldResult runOnThisThread(llvm::ArrayRef<const char *> arguments,
                                 llvm::raw_ostream &messages) {
  LldResult out;
  if (llvm::Error fatal = codegen::runGuarded([&]() -> llvm::Error {
        lld::Result result = lld::lldMain(arguments, messages, messages,
                                          {{lld::Gnu, &lld::elf::link}});
        out = {result.retCode, !result.canRunAgain};
        return llvm::Error::success();
      })) {
    out.gaveUp = true;
    messages << llvm::toString(std::move(fatal));
  }
  // lld's globals have the state of the abandoned link and must be reset.
  if (out.gaveUp && lld::hasContext())
    lld::errorHandler().cleanupCallback();
  return out;
}

/// Runs lld on a thread of its own, whose end frees lld's thread-local memory,
/// while this thread reads `output`. If lld gave up, its objects cannot be
/// destroyed: then the thread does not end, and lld's memory is leaked.
static int callLld(llvm::ArrayRef<const char *> arguments, OutputPipe &output,
                   llvm::raw_ostream &messages) {
  static std::once_flag once;
  std::call_once(once, catchExits);
  std::promise<LldResult> promise;
  std::future<LldResult> future = promise.get_future();
  std::thread thread;
  {
    codegen::QuietThreads quiet;
    thread = std::thread([arguments, &output, &messages,
                          promise = std::move(promise)]() mutable {
      LldResult result = runOnThisThread(arguments, messages);
      output.finish();
      promise.set_value(result);
      while (result.gaveUp)
        pause();
    });
  }
  output.follow();
  LldResult result = future.get();
  if (result.gaveUp)
    thread.detach();
  else
    thread.join();
  return result.status;
}

/// The first error of lld's output, without the name of the program.
static std::string firstError(llvm::StringRef output) {
  llvm::StringRef line = output.split('\n').first;
  size_t at = line.find("error: ");
  if (at != llvm::StringRef::npos)
    line = line.substr(at + 7);
  return line.empty() ? "lld gave no reason" : line.str();
}

static llvm::Expected<Bytes> runLld(llvm::ArrayRef<std::string> inputs,
                                    llvm::ArrayRef<const char *> options) {
  auto output = OutputPipe::create();
  if (!output)
    return output.takeError();
  std::string path = (*output)->path();
  std::vector<const char *> arguments = {
      // lld's own threads would cost more time than they save.
      "ld.lld", "-shared", "--threads=1",
      // At its error limit lld would exit the process.
      "--error-limit=0", "--build-id=sha1", "--hash-style=gnu", "-o",
      path.c_str()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  for (const std::string &input : inputs)
    arguments.push_back(input.c_str());

  std::string messages;
  llvm::raw_string_ostream stream(messages);
  int status = 0;
  {
    std::lock_guard lock(lldMutex);
    status = callLld(arguments, **output, stream);
  }
  if (status != 0)
    return llvm::createStringError("lld: " + firstError(messages));
  return (*output)->take();
}

namespace {
struct Needs {
  bool libm = false;
};
} // namespace

// Functions called by code generation itself and by the expansions of rare
// operations.
static const llvm::StringSet<> &libcFunctions() {
  static const auto *names =
      new llvm::StringSet<>{"memcpy", "memmove", "memset", "memcmp"};
  return *names;
}

static const llvm::StringSet<> &libmFunctions() {
  static const llvm::StringSet<> *names = [] {
    auto *set = new llvm::StringSet<>;
    for (llvm::StringRef name :
         {"acos",   "acosh",     "asin",      "asinh", "atan",      "atan2",
          "atanh",  "cbrt",      "ceil",      "cos",   "cosh",      "erf",
          "erfc",   "exp",       "exp10",     "exp2",  "expm1",     "fabs",
          "fdim",   "floor",     "fma",       "fmax",  "fmin",      "fmod",
          "frexp",  "hypot",     "j0",        "j1",    "jn",        "ldexp",
          "lgamma", "log",       "log10",     "log1p", "log2",      "logb",
          "modf",   "nearbyint", "nextafter", "pow",   "remainder", "rint",
          "round",  "roundeven", "scalbn",    "sin",   "sinh",      "sqrt",
          "tan",    "tanh",      "tgamma",    "trunc", "y0",        "y1",
          "yn"}) {
      set->insert(name);
      set->insert((name + "f").str());
    }
    return set;
  }();
  return *names;
}

/// Reads the undefined symbols of `object`.
static llvm::Expected<Needs> readNeeds(llvm::ArrayRef<char> object) {
  Needs needs;
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(
      llvm::StringRef(object.data(), object.size()), "kernel"));
  if (!file)
    return file.takeError();
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined))
      continue;
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    if (libmFunctions().contains(*name))
      needs.libm = true;
    else if (!name->empty() && !libcFunctions().contains(*name))
      return llvm::createStringError("the kernel calls '" + *name +
                                     "', which neither it nor libm defines");
  }
  return needs;
}

/// An empty library with the soname of libm: linking against it makes the image
/// depend on the real libm of the machine that loads it.
static llvm::Expected<const Bytes *> libmStub(Target &target) {
  static codegen::ForkSafeMutex mutex;
  static auto *stubs = new std::map<std::string, Bytes>;
  std::string triple = target.machine->getTargetTriple().str();
  {
    std::lock_guard lock(mutex);
    auto found = stubs->find(triple);
    if (found != stubs->end())
      return &found->second;
  }
  // Without the lock, since linking acquires another one. Concurrent threads
  // create the same stub.
  auto object = assemble("", target);
  if (!object)
    return object.takeError();
  auto file = MemoryFile::create(*object);
  if (!file)
    return file.takeError();
  auto stub = runLld({file->path()}, {"-soname", "libm.so.6"});
  if (!stub)
    return stub.takeError();
  std::lock_guard lock(mutex);
  return &stubs->emplace(triple, std::move(*stub)).first->second;
}

llvm::Expected<Bytes> linkImage(llvm::ArrayRef<char> object, Target &target) {
  auto needs = readNeeds(object);
  if (!needs)
    return needs.takeError();
  auto kernel = MemoryFile::create(object);
  if (!kernel)
    return kernel.takeError();
  std::vector<std::string> inputs = {kernel->path()};
  std::optional<MemoryFile> libm;
  if (needs->libm) {
    auto stub = libmStub(target);
    if (!stub)
      return stub.takeError();
    auto file = MemoryFile::create(**stub);
    if (!file)
      return file.takeError();
    libm.emplace(std::move(*file));
    inputs.push_back(libm->path());
  }
  auto image = runLld(inputs, {});
  if (!image)
    return image.takeError();
  ImageSeal seal = sealOf({image->data(), image->size()});
  const char *bytes = reinterpret_cast<const char *>(&seal);
  image->append(bytes, bytes + sizeof seal);
  return image;
}

} // namespace nereid::cpu
