// embed.cpp - a C++ program that finds plugins at run time, and adds two
// vectors on the best device with a Triton kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   embed_cpp vector_add.ttir [TARGET]

#include <nereid/host.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

// The value, or the end of this program with the reasons.
template <typename T> static T need(nereid::Expected<T> expected) {
  if (!expected) {
    std::cerr << expected.error().text << '\n';
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>)
    return std::move(*expected);
}

static std::string readFile(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::cerr << path << ": cannot be read\n";
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " vector_add.ttir [TARGET]\n";
    return 2;
  }

  // Find plugins, in NEREID_PLUGIN_DIRS and where Nereid is installed, and
  // pick one: the named one, or the best.
  nereid::Runtime runtime = need(nereid::Runtime::create());
  std::cout << need(runtime.report());
  auto [backend, device] = need(runtime.choose(argc > 2 ? argv[2] : ""));

  // Compile, or take from the cache, and load.
  nereid::Artifact artifact =
      need(backend.compile(readFile(argv[1]), argv[1], device));
  nereid::Function function = need(backend.load(artifact, device));

  // Launch one program for every 1024 elements.
  constexpr int32_t count = 10000;
  constexpr uint64_t bytes = count * sizeof(float);
  std::vector<float> x(count), y(count, 0.5f), out(count);
  for (int32_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(i);
  nereid::Memory deviceX = need(backend.allocate(bytes, device));
  nereid::Memory deviceY = need(backend.allocate(bytes, device));
  nereid::Memory deviceOut = need(backend.allocate(bytes, device));
  need(deviceX.write(x.data()));
  need(deviceY.write(y.data()));
  need(function.launch({(count + 1023) / 1024}, 0, deviceX.address(),
                       deviceY.address(), deviceOut.address(), count));
  need(deviceOut.read(out.data()));

  int right = 0;
  for (int32_t i = 0; i < count; ++i)
    right += out[i] == x[i] + y[i];
  std::cout << right << " of " << count << " sums are right\n";
  return right != count;
}
