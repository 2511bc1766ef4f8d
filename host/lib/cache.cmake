# The cache of compiled kernels on disk.

target_sources(nereid_host_objects PRIVATE
  cache/Cache.cpp
  cache/CacheCollect.cpp
  cache/CacheDirectory.cpp
  cache/CacheFile.cpp
  cache/CacheRecord.cpp
  cache/Digest.cpp
  cache/KeyLock.cpp
)
