package dev.pacegate;

import java.lang.reflect.Method;

/** Virtual threads, where this JDK has them: the language level of this code does not. */
final class VirtualThreads {

  private static final Method START = find();

  private VirtualThreads() {}

  static boolean exist() {
    return START != null;
  }

  static Thread start(Runnable work) {
    try {
      return (Thread) START.invoke(null, work);
    } catch (ReflectiveOperationException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static Method find() {
    try {
      return Thread.class.getMethod("startVirtualThread", Runnable.class);
    } catch (NoSuchMethodException before21) {
      return null;
    }
  }
}
