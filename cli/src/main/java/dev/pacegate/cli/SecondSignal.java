package dev.pacegate.cli;

/**
 * What a further SIGINT or SIGTERM does to a process that is ending: the JVM itself would ignore
 * it.
 */
final class SecondSignal {

  private SecondSignal() {}

  /**
   * Lets it end the process at once, if that is ending. A JVM that knows no signals goes on
   * ignoring them.
   */
  static void endsAtOnce() {
    if (!isEnding()) {
      return;
    }
    for (String name : new String[] {"INT", "TERM"}) {
      try {
        Signals.handle(name, number -> Runtime.getRuntime().halt(128 + number));
      } catch (ReflectiveOperationException | RuntimeException | LinkageError none) {
        return;
      }
    }
  }

  private static boolean isEnding() {
    var none = new Thread(() -> {});
    try {
      Runtime.getRuntime().addShutdownHook(none);
      Runtime.getRuntime().removeShutdownHook(none);
      return false;
    } catch (IllegalStateException ending) {
      return true;
    }
  }
}
