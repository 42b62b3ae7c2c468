package org.ustore.objectstore;

import org.jspecify.annotations.Nullable;

/**
 * What a pool asks of the stores that hold it; null where the pool says nothing.
 *
 * @param compressionMode none, passive, aggressive or force
 * @param compressionAlgorithm a codec's name, such as lz4 or zstd
 * @param compressionRequiredRatio compressed size at most this share of the original, 0 to 1
 * @param csumType checksum algorithm's name, such as crc32c or none
 */
public record PoolOptions(
        @Nullable String compressionMode,
        @Nullable String compressionAlgorithm,
        @Nullable Double compressionRequiredRatio,
        @Nullable String csumType) {}
