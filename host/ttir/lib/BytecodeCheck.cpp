// BytecodeCheck.cpp: walks the sections of bytecode, and the operations.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "BytecodeCheck.h"
#include "TextScan.h"
#include "mlir/Bytecode/Encoding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"

#include <vector>

using namespace nereid::tt;
using llvm::StringRef;
namespace bytecode = mlir::bytecode;

namespace {

/// Thrown away by the first thing that is wrong: every read then gives 0, and
/// nothing loops over more than there is.
struct Fault {
  std::string text;
  void set(const llvm::Twine &what) {
    if (text.empty())
      text = what.str();
  }
  explicit operator bool() const { return !text.empty(); }
};

/// Reads a part of the bytes from its start.
class Cursor {
public:
  Cursor(StringRef bytes, Fault &fault) : bytes(bytes), fault(fault) {}

  bool done() const { return fault || bytes.empty(); }
  StringRef rest() const { return bytes; }

  StringRef take(uint64_t size) {
    if (size > bytes.size())
      fault.set("it ends too early");
    if (fault)
      return {};
    StringRef taken = bytes.take_front(size);
    bytes = bytes.drop_front(size);
    return taken;
  }
  uint8_t byte() {
    StringRef one = take(1);
    return one.empty() ? 0 : one.front();
  }
  /// The zeros below the lowest one of the first byte count the bytes that
  /// follow it.
  uint64_t number() {
    uint8_t first = byte();
    unsigned more = llvm::countr_zero(first); // 8 for a zero
    StringRef bytesOfIt = take(fault ? 0 : more);
    uint64_t value = 0;
    for (char next : llvm::reverse(bytesOfIt))
      value = value << 8 | uint8_t(next);
    return more == 8 ? value : (value << 8 | first) >> (more + 1);
  }
  uint64_t flagged(bool &flag) {
    uint64_t value = number();
    flag = value & 1;
    return value >> 1;
  }
  /// A number of things that take at least one byte each.
  uint64_t count() {
    uint64_t value = number();
    return fits(value) ? value : 0;
  }
  uint64_t flaggedCount(bool &flag) {
    uint64_t value = flagged(flag);
    return fits(value) ? value : 0;
  }
  void skipNumbers(uint64_t howMany) {
    for (uint64_t i = 0; i < howMany && !fault; ++i)
      number();
  }
  StringRef section(uint8_t &id) {
    uint8_t head = byte();
    id = head & 0x7f;
    uint64_t size = number();
    if (head & 0x80) {
      uint64_t alignment = number();
      if (!llvm::has_single_bit(alignment))
        fault.set("a section is aligned to no power of two");
      while (!fault && reinterpret_cast<uintptr_t>(bytes.data()) % alignment)
        byte();
    }
    return take(size);
  }

private:
  bool fits(uint64_t value) {
    if (value > bytes.size())
      fault.set("it has fewer things than it says");
    return !fault;
  }

  StringRef bytes;
  Fault &fault;
};

/// The values that operations can name, and how often each was used.
struct Scope {
  std::vector<uint64_t> uses;
  struct Order {
    uint64_t value;
    uint64_t greatest; // use that it names
  };
  std::vector<Order> orders;
};

/// The values of a region that is being walked.
struct Values {
  uint64_t next, end;
};

class Checker {
public:
  Checker(StringRef bytes, unsigned maxDepth)
      : bytes(bytes), maxDepth(maxDepth) {}
  std::optional<std::string> run();

private:
  void readSections();
  void checkStrings(StringRef section);
  void checkDialects(StringRef section);
  void checkElements(StringRef data, StringRef offsets);
  void checkIr(StringRef section);
  void walkRegions(Cursor &from, uint64_t count, Scope &scope, unsigned depth);
  void walkBlock(Cursor &from, Scope &scope, Values &values, unsigned depth);
  void walkArguments(Cursor &from, Scope &scope, Values &values);
  void walkOperation(Cursor &from, Scope &scope, Values &values,
                     unsigned depth);
  void readOrders(Cursor &from, Scope &scope, Values first, uint64_t count);
  void define(Values &values, uint64_t count);
  void popValues(Scope &scope, uint64_t first);

  StringRef bytes;
  unsigned maxDepth;
  Fault fault;
  uint64_t version = 0;
  std::optional<StringRef> sections[bytecode::Section::kNumSections];
};

} // namespace

std::optional<std::string> Checker::run() {
  readSections();
  auto section = [&](bytecode::Section::ID id) {
    if (!sections[id])
      fault.set("section " + llvm::Twine(unsigned(id)) + " is missing");
    return sections[id].value_or(StringRef());
  };
  // The sections of resources are there, and hold the number 0.
  auto resources = sections[bytecode::Section::kResource];
  auto offsets = sections[bytecode::Section::kResourceOffset];
  if ((resources && !resources->empty()) || (offsets && *offsets != "\x01"))
    fault.set("it has resources, which Triton IR does not have");
  checkStrings(section(bytecode::Section::kString));
  checkDialects(section(bytecode::Section::kDialect));
  checkElements(section(bytecode::Section::kAttrType),
                section(bytecode::Section::kAttrTypeOffset));
  if (auto properties = sections[bytecode::Section::kProperties])
    if (!properties->empty())
      Cursor(*properties, fault).count();
  checkIr(section(bytecode::Section::kIR));
  if (!fault)
    return std::nullopt;
  return "the bytecode is damaged: " + fault.text;
}

void Checker::readSections() {
  Cursor from(bytes, fault);
  from.take(4); // "ML\xefR"
  version = from.number();
  size_t end = from.rest().find('\0');
  from.take(end == StringRef::npos ? UINT64_MAX : end + 1); // who wrote it
  while (!from.done()) {
    uint8_t id;
    StringRef section = from.section(id);
    if (id >= bytecode::Section::kNumSections || sections[id])
      return fault.set("it has an unknown section, or one twice");
    sections[id] = section;
  }
}

/// The sizes come first, the last string's at the start.
void Checker::checkStrings(StringRef section) {
  Cursor from(section, fault);
  uint64_t count = from.count(), sizes = 0;
  for (uint64_t i = 0; i < count && !fault; ++i) {
    uint64_t size = from.number();
    if (size == 0 || size > section.size() - sizes)
      return fault.set("a string has no end");
    if (section[section.size() - sizes - 1] != '\0')
      return fault.set("a string does not end with NUL");
    sizes += size;
  }
  if (!fault && from.rest().size() != sizes)
    fault.set("the strings are longer or shorter than all of them");
}

void Checker::checkDialects(StringRef section) {
  Cursor from(section, fault);
  uint64_t count = from.count();
  for (uint64_t i = 0; i < count && !fault; ++i) {
    bool hasVersion = false;
    if (version < bytecode::kDialectVersioning)
      from.number();
    else
      from.flagged(hasVersion);
    uint8_t id;
    if (hasVersion)
      from.section(id);
  }
  if (version >= bytecode::kElideUnknownBlockArgLocation)
    from.count();
}

/// Attributes, then types, in groups of one dialect; sizes of what lies in
/// `data` one after the other.
void Checker::checkElements(StringRef data, StringRef offsets) {
  Cursor from(offsets, fault), contents(data, fault);
  uint64_t counts[2];
  for (uint64_t &count : counts)
    count = from.count();
  for (uint64_t left : counts)
    while (left && !fault) {
      from.number();
      uint64_t group = from.number();
      if (group > left)
        return fault.set("a group of attributes has more than there are");
      left -= group;
      for (; group && !fault; --group) {
        bool isBinary;
        uint64_t size = from.flagged(isBinary);
        StringRef element = contents.take(size);
        if (isBinary)
          continue;
        StringRef text = element.take_until([](char c) { return c == '\0'; });
        if (auto error = checkText(text, maxDepth))
          return fault.set("an attribute: " + error->message);
      }
    }
}

void Checker::checkIr(StringRef section) {
  Cursor from(section, fault);
  Scope scope;
  Values none = {0, 0};
  walkBlock(from, scope, none, 1);
}

void Checker::define(Values &values, uint64_t count) {
  // What is at the top has no values of its own.
  if (values.end == 0 || count == 0)
    return;
  if (count > values.end - values.next)
    return fault.set("a region has more values than it says");
  values.next += count;
}

/// Ends the values from `first` on.
void Checker::popValues(Scope &scope, uint64_t first) {
  for (; !scope.orders.empty() && scope.orders.back().value >= first;
       scope.orders.pop_back()) {
    const Scope::Order &order = scope.orders.back();
    if (order.greatest >= scope.uses[order.value])
      fault.set("an order of uses names more than there are");
  }
  scope.uses.resize(first);
}

void Checker::walkRegions(Cursor &from, uint64_t count, Scope &scope,
                          unsigned depth) {
  if (depth > maxDepth)
    return fault.set("nested more than " + llvm::Twine(maxDepth) + " deep");
  for (uint64_t i = 0; i < count && !fault; ++i) {
    uint64_t blocks = from.count();
    if (!blocks)
      continue;
    uint64_t first = scope.uses.size(), size = from.count();
    scope.uses.resize(first + size);
    Values values = {first, first + size};
    for (uint64_t block = 0; block < blocks && !fault; ++block)
      walkBlock(from, scope, values, depth);
    // Each value has its own definition, so that memory grows with the bytes.
    if (values.next != values.end)
      fault.set("a region has fewer values than it says");
    if (!fault)
      popValues(scope, first);
  }
}

void Checker::walkBlock(Cursor &from, Scope &scope, Values &values,
                        unsigned depth) {
  bool hasArguments;
  uint64_t operations = from.flagged(hasArguments);
  if (hasArguments && depth == 1)
    return fault.set("the module is in a block with arguments");
  if (hasArguments)
    walkArguments(from, scope, values);
  for (uint64_t i = 0; i < operations && !fault; ++i)
    walkOperation(from, scope, values, depth);
}

void Checker::walkArguments(Cursor &from, Scope &scope, Values &values) {
  uint64_t count = from.count();
  for (uint64_t i = 0; i < count && !fault; ++i) {
    bool hasLocation = true;
    if (version >= bytecode::kElideUnknownBlockArgLocation)
      from.flagged(hasLocation);
    else
      from.number();
    if (hasLocation)
      from.number();
  }
  Values first = values;
  define(values, count);
  if (version >= bytecode::kUseListOrdering && from.byte())
    readOrders(from, scope, first, count);
}

void Checker::walkOperation(Cursor &from, Scope &scope, Values &values,
                            unsigned depth) {
  namespace has = bytecode::OpEncodingMask;
  from.number(); // name
  uint8_t mask = from.byte();
  from.number(); // location
  from.skipNumbers(bool(mask & has::kHasAttrs) +
                   bool(mask & has::kHasProperties));
  uint64_t results = 0;
  if (mask & has::kHasResults)
    from.skipNumbers(results = from.count());
  if (mask & has::kHasOperands)
    for (uint64_t left = from.count(); left && !fault; --left) {
      uint64_t value = from.number();
      if (value >= scope.uses.size())
        return fault.set("an operand is not a value");
      ++scope.uses[value];
    }
  if (mask & has::kHasSuccessors)
    from.skipNumbers(from.count());
  Values first = values;
  define(values, results);
  if (version >= bytecode::kUseListOrdering && (mask & has::kHasUseListOrders))
    readOrders(from, scope, first, results);
  if (!(mask & has::kHasInlineRegions))
    return;
  bool isIsolated;
  uint64_t regions = from.flaggedCount(isIsolated);
  if (!isIsolated || regions == 0)
    return walkRegions(from, regions, scope, depth + 1);
  Scope own;
  if (version < bytecode::kLazyLoading)
    return walkRegions(from, regions, own, depth + 1);
  uint8_t id;
  Cursor inner(from.section(id), fault);
  walkRegions(inner, regions, own, depth + 1);
}

/// Orders of the uses of some of `count` values from `first` on.
void Checker::readOrders(Cursor &from, Scope &scope, Values first,
                         uint64_t count) {
  uint64_t orders = count > 1 ? from.count() : 1;
  for (uint64_t i = 0; i < orders && !fault; ++i) {
    uint64_t which = count > 1 ? from.number() : 0;
    bool isPairs;
    uint64_t size = from.flaggedCount(isPairs), greatest = 0;
    for (uint64_t k = 0; k < size && !fault; ++k)
      greatest = std::max(greatest, from.number());
    if (which < count && first.end != 0)
      scope.orders.push_back({first.next + which, greatest});
  }
}

std::optional<std::string> nereid::tt::checkBytecode(StringRef bytes,
                                                     unsigned maxDepth) {
  return Checker(bytes, maxDepth).run();
}
