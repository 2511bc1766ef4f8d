// Figures.h - the figures of a report, each with its table.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_REPORT_FIGURES_H
#define NEREID_OPS_REPORT_FIGURES_H

#include "report/Report.h"
#include "store/Places.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::ops {

/// The time of the winners of operator \p name over the number of the keys that
/// has most values, at the places \p of; nothing if no line has two points.
std::optional<std::string> timeChart(const std::string &id,
                                     std::string_view name,
                                     const Places &places,
                                     const std::vector<const Place *> &of);

/// The best times by the two values of the configurations that vary most;
/// nothing if none varies.
std::optional<std::string>
configurationMap(const std::string &id, const Place &place,
                 const Configurations &configurations);

/// Which shapes are tuned on which architectures.
std::string coverageFigure(const std::vector<TunedResult> &rows);

/// How the results and the winners differ from those before.
std::string differenceFigure(const Report &report);

} // namespace nereid::ops

#endif // NEREID_OPS_REPORT_FIGURES_H
