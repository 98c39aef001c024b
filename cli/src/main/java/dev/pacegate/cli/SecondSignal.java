package dev.pacegate.cli;

import java.lang.reflect.Proxy;

/**
 * What a further SIGINT or SIGTERM does to a process that is ending: the JVM itself would ignore
 * it.
 */
/*
 * By reflection, as the compiler warns of each use of the JDK's class, and a JVM may be without it.
 */
final class SecondSignal {

  private SecondSignal() {}

  /** Lets it end the process at once. A JVM that knows no signals goes on ignoring them. */
  static void endsAtOnce() {
    for (String name : new String[] {"INT", "TERM"}) {
      try {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Object named = signal.getConstructor(String.class).newInstance(name);
        int status = 128 + (int) signal.getMethod("getNumber").invoke(named);
        Object halt =
            Proxy.newProxyInstance(
                handler.getClassLoader(),
                new Class<?>[] {handler},
                (self, method, arguments) -> {
                  Runtime.getRuntime().halt(status);
                  return null;
                });
        signal.getMethod("handle", signal, handler).invoke(null, named, halt);
      } catch (ReflectiveOperationException | RuntimeException | LinkageError none) {
        return;
      }
    }
  }
}
