package dev.pacegate.cli;

import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;

/**
 * Handles signals. By reflection, as the compiler warns of each use of the JDK's class, and a JVM
 * may be without it.
 */
final class Signals {

  private Signals() {}

  /**
   * Has {@code handler} take the number of each signal of that name.
   *
   * @throws IllegalArgumentException if there is no such signal, or the JVM needs it for itself
   */
  static void handle(String name, IntConsumer handler) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> type = Class.forName("sun.misc.SignalHandler");
    Object named = signal.getConstructor(String.class).newInstance(name);
    int number = (int) signal.getMethod("getNumber").invoke(named);
    Object handling =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals("handle")) {
                handler.accept(number);
              }
              return null;
            });
    signal.getMethod("handle", signal, type).invoke(null, named, handling);
  }
}
