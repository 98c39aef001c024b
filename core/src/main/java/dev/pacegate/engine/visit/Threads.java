package dev.pacegate.engine.visit;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/** Access to thread features of newer JDKs than this code's language level. */
final class Threads {

  private static final @Nullable MethodHandle IS_VIRTUAL = findIsVirtual();

  private Threads() {}

  static boolean isVirtual(Thread thread) {
    try {
      return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
    } catch (Throwable impossible) {
      return false;
    }
  }

  private static @Nullable MethodHandle findIsVirtual() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException before21) {
      return null;
    }
  }
}
