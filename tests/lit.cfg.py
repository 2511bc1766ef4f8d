# One lit set-up for all suites; nereid_add_lit_suite() fills in the paths.
import os

import lit.formats

config.name = f"nereid.{config.suite}"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ttir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = config.suite_source
config.test_exec_root = config.suite_exec
config.environment["PATH"] = os.pathsep.join(
    [config.tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
# A test sees the plugins of its own build tree, and a cache of its own.
config.environment["NEREID_PLUGIN_DIRS"] = config.plugin_dir
config.environment["NEREID_CACHE_DIR"] = os.path.join(config.suite_exec, "cache")
config.environment["NEREID_CPU_POISON_SCRATCH"] = "1"
config.substitutions.append(("%plugins", config.plugin_dir))
config.substitutions.append(("%data", config.data_dir))
