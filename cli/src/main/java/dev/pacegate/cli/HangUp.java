package dev.pacegate.cli;

/** What SIGHUP does, by which a daemon is told to read its configuration again. */
final class HangUp {

  private HangUp() {}

  /**
   * Lets it run {@code task}, on a thread of the JVM, in place of ending the process. A system
   * without it, or a JVM that knows no signals, goes on as before.
   */
  static void runs(Runnable task) {
    try {
      Signals.handle("HUP", number -> task.run());
    } catch (ReflectiveOperationException | RuntimeException | LinkageError none) {
      // a change of the file is seen all the same
    }
  }
}
