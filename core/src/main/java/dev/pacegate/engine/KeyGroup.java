package dev.pacegate.engine;

/** The keys of one keyed limiter, as far as the limiter around them steers them. */
public interface KeyGroup {

  /** Ends the pauses of single keys. */
  void resumeKeys();
}
