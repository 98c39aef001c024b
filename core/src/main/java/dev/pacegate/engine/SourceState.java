package dev.pacegate.engine;

import org.jspecify.annotations.Nullable;

/**
 * What a source of meters says of itself.
 *
 * @param unavailable why it gives no permits for now; null if it does, or does not know
 * @param fails whether it fails
 */
record SourceState(@Nullable String unavailable, boolean fails) {}
