package dev.pacegate.cli;

/**
 * What a further SIGINT or SIGTERM does to a process that is ending: the JVM itself would ignore
 * it. By reflection, as the compiler warns of each use of the JDK's class, and a JVM may be without
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
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Object named = signal.getConstructor(String.class).newInstance(name);
        int status = 128 + (int) signal.getMethod("getNumber").invoke(named);
        Object halt =
            java.lang.reflect.Proxy.newProxyInstance(
                handler.getClassLoader(),
                new Class<?>[] {handler},
                (self, method, arguments) -> {
                  if (method.getName().equals("handle")) {
                    Runtime.getRuntime().halt(status);
                  }
                  return null;
                });
        signal.getMethod("handle", signal, handler).invoke(null, named, halt);
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
