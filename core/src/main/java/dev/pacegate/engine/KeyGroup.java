package dev.pacegate.engine;

import org.jspecify.annotations.Nullable;

/** The keys of one keyed limiter, as far as the limiter around them steers and describes them. */
public interface KeyGroup {

  /** Returns why a source gives the keys no permits for now; null if none is known. */
  @Nullable String unavailable(long now);

  /** Returns whether {@link #unavailable} tells a failure of the source. */
  boolean fails(long now);

  /** Ends the pauses of single keys. */
  void resumeKeys();
}
