package dev.pacegate.benchmarks;

import dev.pacegate.Permit;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Consumer;

/**
 * Ends a permit as answered, in every version of Pacegate.
 *
 * <p>Versions are compared, and they call it {@code answered}, or {@code close} where there is no
 * such method. What is made here is what the JVM makes of a method reference, so that no version
 * pays for having been asked for its name.
 */
final class Answer {

  static final Consumer<Permit> END = end();

  private Answer() {}

  @SuppressWarnings("unchecked") // the factory is told that it takes permits
  private static Consumer<Permit> end() {
    var lookup = MethodHandles.lookup();
    var ofPermit = MethodType.methodType(void.class, Permit.class);
    try {
      return (Consumer<Permit>)
          LambdaMetafactory.metafactory(
                  lookup,
                  "accept",
                  MethodType.methodType(Consumer.class),
                  MethodType.methodType(void.class, Object.class),
                  method(lookup),
                  ofPermit)
              .getTarget()
              .invoke();
    } catch (Throwable e) {
      throw new IllegalStateException("a permit cannot be ended", e);
    }
  }

  private static MethodHandle method(MethodHandles.Lookup lookup)
      throws ReflectiveOperationException {
    var type = MethodType.methodType(void.class);
    try {
      return lookup.findVirtual(Permit.class, "answered", type);
    } catch (NoSuchMethodException anEarlierVersion) {
      return lookup.findVirtual(Permit.class, "close", type);
    }
  }
}
