// Dump.cpp - writes the output of each stage into a directory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/Dump.h"

#include "support/File.h"
#include "support/Json.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace nereid::host {

// Names of stages and kinds are the plugin's; they must not lead out of the
// directory.
static std::string fileNamePart(std::string_view text) {
  std::string part;
  for (char c : text)
    part += std::isalnum(static_cast<unsigned char>(c)) || c == '-' ||
                    c == '_' || (c == '.' && !part.empty())
                ? c
                : '_';
  return part;
}

Outcome Dump::create() const {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return Failure{NEREID_IO_ERROR, directory +
                                        ": cannot make the dump directory: " +
                                        errorText(error.value())};
  return {};
}

Outcome Dump::write(const std::string &file, std::string_view bytes) const {
  std::string path = directory + '/' + file;
  SizeSignalBlock block;
  FILE *stream = std::fopen(path.c_str(), "wbe");
  bool isWritten = stream && std::fwrite(bytes.data(), 1, bytes.size(),
                                         stream) == bytes.size();
  int reason = errno;
  if (stream && std::fclose(stream) != 0) {
    isWritten = false;
    reason = errno;
  }
  if (!isWritten)
    return Failure{NEREID_IO_ERROR,
                   path + ": cannot write the dump: " + errorText(reason)};
  return {};
}

Outcome Dump::writeSource(std::string_view kind, std::string_view bytes) const {
  return write("00-source." + fileNamePart(kind), bytes);
}

Outcome Dump::writeStage(size_t number, std::string_view stage,
                         std::string_view extension,
                         std::string_view bytes) const {
  std::string file = (number < 10 ? "0" : "") + std::to_string(number) + '-' +
                     fileNamePart(stage);
  if (!extension.empty())
    file += '.' + fileNamePart(extension);
  return write(file, bytes);
}

Outcome Dump::writeMetadata(const Values &metadata) const {
  return write("metadata.json", dumpJson(metadata.json()));
}

} // namespace nereid::host
