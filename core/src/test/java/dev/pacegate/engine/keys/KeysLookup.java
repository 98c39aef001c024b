package dev.pacegate.engine.keys;

import java.lang.invoke.MethodHandles;

/** Lets tests define classes of this package. */
public final class KeysLookup {

  private KeysLookup() {}

  /** Returns a lookup in this package. Loads nothing else of it. */
  public static MethodHandles.Lookup lookup() {
    return MethodHandles.lookup();
  }
}
