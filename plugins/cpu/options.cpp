// options.cpp - the table of options, and reading them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "options.h"

#include "text.h"

#include <charconv>
#include <variant>

namespace nereid::cpu {

namespace {
using Text = std::string Options::*;
using Integer = int64_t Options::*;
using Boolean = bool Options::*;

struct Spec {
  std::string_view name;
  std::variant<Text, Integer, Boolean> member;
  std::string_view defaultValue;
  std::string_view doc;
  int64_t minimum = 0, maximum = 0; // of an integer
};
} // namespace

static constexpr std::string_view kArchs[] = {"x86_64", "aarch64"};

/// Sorted by name, which is the order of the canonical text.
static const Spec kSpecs[] = {
    {"approx_math", &Options::approxMath, "false",
     "approximate division, square root and transcendental functions; NaN, "
     "infinities and signed zeros stay right"},
    {"arch", &Options::arch, "",
     "architecture: x86_64 or aarch64; empty means the target's"},
    {"cpu", &Options::cpu, "host",
     "CPU to compile for: host (the target's), generic, or LLVM's name of one "
     "(x86-64-v3, znver4)"},
    {"debug_info", &Options::debugInfo, "false",
     "line tables that lead to the kernel's source"},
    {"enable_fp_fusion", &Options::enableFpFusion, "true",
     "contract a multiplication and an addition into one operation"},
    {"fast_paths", &Options::fastPaths, "all",
     "fast paths of the code generator: all, none, names with commas between, "
     "or all,-name; for tests"},
    {"features", &Options::features, "",
     "CPU features to add and to take away, as LLVM names them: +avx2,-fma"},
    {"num_ctas", &Options::numCtas, "1",
     "accepted for Triton's sake; without effect", 1, 1024},
    {"num_stages", &Options::numStages, "2",
     "accepted for Triton's sake; without effect", 0, 1024},
    {"num_warps", &Options::numWarps, "4",
     "accepted for Triton's sake; without effect", 1, 1024},
    {"opt_level", &Options::optLevel, "2",
     "how much LLVM optimises, from 0 (least) to 3", 0, 3},
    {"reassociate", &Options::reassociate, "true",
     "let reductions add floating-point numbers in another order"},
    {"threads", &Options::threads, "0",
     "threads that run a launch at most; 0 means by the work", 0, 4096},
    {"vector_bits", &Options::vectorBits, "0",
     "bits of the vectors that loops are built from; 0 means the CPU's widest",
     0, 512},
};

nereid_status_t visitOptions(const nereid_option_sink_t *sink) {
  nereid_string_t archs[] = {text(""), text(kArchs[0]), text(kArchs[1])};
  for (const Spec &spec : kSpecs) {
    nereid_option_t option = {};
    option.struct_size = sizeof option;
    option.type = std::holds_alternative<Text>(spec.member) ? NEREID_TYPE_STRING
                  : std::holds_alternative<Integer>(spec.member)
                      ? NEREID_TYPE_I64
                      : NEREID_TYPE_BOOL;
    option.name = text(spec.name);
    option.doc = text(spec.doc);
    option.default_value = text(spec.defaultValue);
    option.minimum = spec.minimum;
    option.maximum = spec.maximum;
    if (spec.name == "arch") {
      option.choices = archs;
      option.choice_count = std::size(archs);
    }
    if (nereid_status_t status = sink->add(sink, &option))
      return status;
  }
  return NEREID_OK;
}

static bool readInteger(std::string_view from, int64_t &out) {
  auto [end, error] =
      std::from_chars(from.data(), from.data() + from.size(), out);
  return error == std::errc() && end == from.data() + from.size();
}

/// What is wrong with `value` for `spec`, else empty, and then it is set.
static std::string set(Options &out, const Spec &spec,
                       const nereid_value_t &value) {
  bool isText = value.type == NEREID_TYPE_STRING;
  bool isNumber =
      value.type == NEREID_TYPE_I64 || value.type == NEREID_TYPE_BOOL;
  if (const auto *member = std::get_if<Text>(&spec.member)) {
    if (!isText)
      return "a string was expected";
    std::string_view given = view(value.text);
    for (unsigned char byte : given)
      if (byte <= ' ' || byte == ';' || byte == '=' || byte >= 0x7f)
        return "text without blanks, ';' and '=' was expected";
    out.**member = given;
    return {};
  }
  int64_t number = value.i64;
  if (const auto *member = std::get_if<Integer>(&spec.member)) {
    if (!isNumber && !(isText && readInteger(view(value.text), number)))
      return "an integer was expected";
    if (number < spec.minimum || number > spec.maximum)
      return std::to_string(number) + " is not between " +
             std::to_string(spec.minimum) + " and " +
             std::to_string(spec.maximum);
    out.**member = number;
    return {};
  }
  std::string_view word = isText ? view(value.text) : std::string_view();
  if (word == "true" || word == "1")
    number = 1;
  else if (word == "false" || word == "0")
    number = 0;
  else if (!isNumber || (number != 0 && number != 1))
    return "true or false was expected";
  out.*std::get<Boolean>(spec.member) = number != 0;
  return {};
}

static const Spec *findSpec(std::string_view name) {
  for (const Spec &spec : kSpecs)
    if (spec.name == name)
      return &spec;
  return nullptr;
}

static std::string knownNames() {
  std::string names;
  for (const Spec &spec : kSpecs)
    names += (names.empty() ? "" : ", ") + std::string(spec.name);
  return names;
}

static void setDefaults(Options &out) {
  for (const Spec &spec : kSpecs) {
    nereid_value_t value = {};
    value.type = NEREID_TYPE_STRING;
    value.text = text(spec.defaultValue);
    set(out, spec, value);
  }
}

static void append(std::string &list, std::string_view more) {
  if (more.empty())
    return;
  if (!list.empty())
    list += ',';
  list += more;
}

/// "host" stands for the target's CPU: its name is what to tune for, its
/// features, without any that the name would imply, are what may be used.
static void resolveCpu(const HostCpu &host, const nereid_target_t *target,
                       Options &out) {
  if (out.arch.empty())
    out.arch = target && target->arch.size ? view(target->arch) : host.arch;
  std::string own = host.targetFeatures();
  std::string_view given;
  if (target && target->features.size && view(target->arch) == out.arch)
    given = view(target->features);
  else if (out.arch == host.arch)
    given = own;
  const char *baseline = out.arch == "x86_64" ? "x86-64" : "generic";
  if (out.cpu == "generic" || (out.cpu == "host" && given.empty())) {
    out.targetCpu = baseline;
  } else if (out.cpu == "host") {
    size_t comma = std::min(given.find(','), given.size());
    out.targetCpu = baseline;
    out.tuneCpu = given.substr(0, comma);
    out.targetFeatures = given.substr(std::min(comma + 1, given.size()));
  } else {
    out.targetCpu = out.cpu;
  }
  append(out.targetFeatures, out.features);
}

/// LLVM skips empty names, but the text is a part of cache keys.
static bool hasEmptyName(std::string_view list) {
  return !list.empty() && (list.front() == ',' || list.back() == ',' ||
                           list.find(",,") != std::string_view::npos);
}

nereid_status_t parseOptions(const HostCpu &host, const nereid_target_t *target,
                             const nereid_value_t *values, uint64_t count,
                             Options &out, const nereid_call_t *call) {
  setDefaults(out);
  for (uint64_t i = 0; i < count; ++i) {
    std::string name(view(values[i].name));
    const Spec *spec = findSpec(name);
    if (!spec)
      return fail(call, NEREID_INVALID_ARGUMENT,
                  "unknown option '" + name +
                      "', expected one of: " + knownNames());
    std::string problem = set(out, *spec, values[i]);
    if (!problem.empty())
      return fail(call, NEREID_INVALID_ARGUMENT,
                  "option " + name + ": " + problem);
  }
  if (!out.arch.empty() && out.arch != kArchs[0] && out.arch != kArchs[1])
    return fail(call, NEREID_INVALID_ARGUMENT,
                "option arch: '" + out.arch + "' is not x86_64 or aarch64");
  if (out.vectorBits & (out.vectorBits - 1) ||
      (out.vectorBits && out.vectorBits < 64))
    return fail(call, NEREID_INVALID_ARGUMENT,
                "option vector_bits: " + std::to_string(out.vectorBits) +
                    " is not 0 or a power of two from 64");
  if (hasEmptyName(out.features))
    return fail(call, NEREID_INVALID_ARGUMENT,
                "option features: '" + out.features +
                    "' has an empty name between commas, expected +name or "
                    "-name");
  resolveCpu(host, target, out);
  return NEREID_OK;
}

/// Configurations of Triton that differ in these only share one image.
static bool hasEffect(const Spec &spec) {
  return !spec.name.starts_with("num_");
}

std::string canonicalText(const Options &options) {
  std::string out;
  for (const Spec &spec : kSpecs) {
    if (!hasEffect(spec))
      continue;
    out += spec.name;
    out += '=';
    if (const auto *member = std::get_if<Text>(&spec.member))
      out += spec.name == "cpu"        ? options.targetCpu
             : spec.name == "features" ? options.targetFeatures
                                       : options.**member;
    else if (const auto *number = std::get_if<Integer>(&spec.member))
      out += std::to_string(options.**number);
    else
      out += options.*std::get<Boolean>(spec.member) ? "true" : "false";
    out += ';';
  }
  return out + "tune=" + options.tuneCpu;
}

} // namespace nereid::cpu
