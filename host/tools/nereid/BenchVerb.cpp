// BenchVerb.cpp - `nereid bench`: launches a kernel many times and reports
// the times.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Measurement.h"
#include "Statistics.h"
#include "Text.h"
#include "Verb.h"
#include "profile/Profile.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nereid::tool {

namespace {
struct Options : LaunchOptions {
  std::string warmup = "0.1", time = "1", repeats;
  bool cold = false, profile = false;
  std::string bytes, flops;
};
} // namespace

// A number, or a product of numbers: "3*4096*781*4".
static Expected<double> parseWork(const std::string &option,
                                  const std::string &text) {
  double work = 1;
  for (size_t start = 0; start <= text.size();) {
    size_t end = std::min(text.find('*', start), text.size());
    double factor = 0;
    Expected<void> read =
        storeText(DType::F64, text.substr(start, end - start), &factor);
    if (!read || !(factor > 0) || !std::isfinite(factor))
      return invalid(option + " '" + text +
                     "': expected a positive number or a product, as in "
                     "'2*1024*1024*1024'");
    work *= factor;
    start = end + 1;
  }
  return work;
}

static void addRow(Table &table, const std::string &name,
                   const Statistics &times) {
  table.add({name, durationText(times.median), durationText(times.p20),
             durationText(times.p80), durationText(times.minimum),
             std::to_string(times.count)});
}

static Json statisticsJson(const Statistics &times) {
  return {{"count", times.count}, {"minimum", times.minimum},
          {"p20", times.p20},     {"median", times.median},
          {"p80", times.p80},     {"mean", times.mean}};
}

namespace {
/// The table and the document of one measurement.
class BenchReport {
public:
  explicit BenchReport(const MeasuredTimes &samples)
      : endToEnd(Statistics::of(samples.endToEnd)),
        device(Statistics::of(samples.device)) {
    document["end_to_end_ns"] = statisticsJson(endToEnd);
    document["device_ns"] =
        device.count ? statisticsJson(device) : Json(nullptr);
    document["interrupted"] = samples.isInterrupted;
  }

  /// Work per second, by the device's time where there is one.
  void addRate(const std::string &key, const std::string &unit, double work) {
    double median = device.count ? device.median : endToEnd.median;
    rates += (rates.empty() ? "\n" : "") + threeDigits(work / median) + ' ' +
             unit + " (median" + (device.count ? ", device time" : "") + ")\n";
    document[key] = work / median;
  }

  std::string text() const {
    Table table({"", "median", "p20", "p80", "min", "samples"});
    for (size_t column = 1; column <= 5; ++column)
      table.alignRight(column);
    addRow(table, "end to end", endToEnd);
    if (device.count)
      addRow(table, "device", device);
    return table.text() + rates;
  }

  Json document = Json::object();

private:
  Statistics endToEnd, device;
  std::string rates;
};
} // namespace

static Expected<double> parseSeconds(const std::string &option,
                                     const std::string &text) {
  double seconds = 0;
  if (!storeText(DType::F64, text, &seconds) || !(seconds >= 0))
    return invalid(option + " '" + text + "': expected seconds from 0");
  return seconds;
}

static Expected<uint64_t> parseRepeats(const std::string &text) {
  uint64_t repeats = 0;
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, repeats);
  if (error != std::errc() || end != last || repeats == 0 ||
      repeats > MeasurementPlan::mostSamples)
    return invalid("--repeats '" + text + "': expected a number from 1 to " +
                   std::to_string(MeasurementPlan::mostSamples));
  return repeats;
}

static Expected<MeasurementPlan> makePlan(const Options &options) {
  Expected<double> warmup = parseSeconds("--warmup", options.warmup);
  if (!warmup)
    return warmup.error();
  Expected<double> time = parseSeconds("--time", options.time);
  if (!time)
    return time.error();
  MeasurementPlan plan = {*warmup, *time, 0, options.cold, options.profile};
  if (options.repeats.empty())
    return plan;
  Expected<uint64_t> repeats = parseRepeats(options.repeats);
  if (!repeats)
    return repeats.error();
  plan.repeats = *repeats;
  return plan;
}

static Expected<int> bench(Session &session, Options options) {
  Expected<Manifest> manifest = options.readManifest();
  if (!manifest)
    return manifest.error();
  if (options.bytes.empty())
    options.bytes = manifest->bytes;
  if (options.flops.empty())
    options.flops = manifest->flops;
  Expected<MeasurementPlan> plan = makePlan(options);
  if (!plan)
    return plan.error();
  double bytes = 0, flops = 0;
  for (auto [name, text, work] :
       {std::tuple("--bytes", &options.bytes, &bytes),
        std::tuple("--flops", &options.flops, &flops)}) {
    if (text->empty())
      continue;
    Expected<double> parsed = parseWork(name, *text);
    if (!parsed)
      return parsed.error();
    *work = *parsed;
  }
  Expected<LaunchRequest> request = LaunchRequest::parse(options);
  if (!request)
    return request.error();
  auto kernel = ReadyKernel::prepare(session, options, *request);
  if (!kernel)
    return kernel.error();
  if (plan->profile && !(*kernel)->target().isHostCpu())
    return failure(NEREID_UNAVAILABLE,
                   "--profile: " + (*kernel)->target().name() +
                       " is not this machine's processor, whose time alone can "
                       "be sampled");
  Expected<MeasuredTimes> samples =
      Measurement(**kernel, request->grid, *plan).run();
  if (!samples)
    return samples.error();
  BenchReport report(*samples);
  if (bytes)
    report.addRate("gigabytes_per_second", "GB/s", bytes);
  if (flops)
    report.addRate("gigaflops", "GFLOP/s", flops);
  Json document = (*kernel)->json(request->grid);
  document.update(report.document);
  std::string text = (*kernel)->heading(request->grid) + '\n' + report.text();
  document["profile"] = nullptr;
  if (plan->profile) {
    nereid_bytes_t image = (*kernel)->source().artifact.info().output;
    Profile profile(samples->addresses,
                    {static_cast<const char *>(image.data), image.size});
    document["profile"] = profile.json();
    text += profile.text();
  }
  session.output.document(document);
  session.output.text(text);
  return samples->isInterrupted ? exitInterrupted : exitOk;
}

Verb benchVerb() {
  auto options = std::make_shared<Options>();
  Verb verb = {
      "bench",
      "measure a kernel's launches",
      "bench KERNEL --grid X[,Y[,Z]] ARG... [options]",
      argumentNotes,
      launchOptions(*options),
      [options](Session &session) { return bench(session, *options); }};
  addOptions(verb.options, {{"--warmup", &options->warmup, "SECONDS",
                             "before measuring (0.1; at least one launch)"},
                            {"--time", &options->time, "SECONDS",
                             "measure that long (1; at least 5 launches)"},
                            {"--repeats", &options->repeats, "N",
                             "measure that many launches instead"},
                            {"--cold", &options->cold, "",
                             "evict the device's caches before each launch"},
                            {"--profile", &options->profile, "",
                             "show where the processor's time goes"},
                            {"--bytes", &options->bytes, "WORK",
                             "moved by a launch, as in 2*4096*4: gives GB/s"},
                            {"--flops", &options->flops, "WORK",
                             "done by a launch: gives GFLOP/s"}});
  return verb;
}

} // namespace nereid::tool
