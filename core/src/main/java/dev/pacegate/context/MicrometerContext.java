package dev.pacegate.context;

import static java.util.Objects.requireNonNull;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Micrometer's context-propagation, if the program has it. */
/*
 * By reflection, as core depends on no library. Only the methods named here are used; they have not
 * changed since context-propagation 1.0.3. Values that the caller does not have are cleared: a pool
 * that carries contexts itself brings those of the thread that handed the job over, which may be
 * another caller's.
 */
final class MicrometerContext {

  static final ContextPropagator NONE = job -> requireNonNull(job);

  private static final String FACTORY = "io.micrometer.context.ContextSnapshotFactory";

  /** Looked up when it is first needed: most limiters never need it. */
  private static final class Found {
    static final ContextPropagator HERE = in(MicrometerContext.class.getClassLoader());
  }

  private MicrometerContext() {}

  static ContextPropagator found() {
    return Found.HERE;
  }

  /** Returns that of {@code loader}; one that carries nothing if it has none. */
  static ContextPropagator in(ClassLoader loader) {
    try {
      return micrometer(loader);
    } catch (ReflectiveOperationException | LinkageError absent) {
      return NONE;
    }
  }

  private static ContextPropagator micrometer(ClassLoader loader)
      throws ReflectiveOperationException {
    Class<?> factories = Class.forName(FACTORY, true, loader);
    Class<?> builders = Class.forName(FACTORY + "$Builder", true, loader);
    Class<?> snapshots = Class.forName("io.micrometer.context.ContextSnapshot", true, loader);
    Object builder = factories.getMethod("builder").invoke(null);
    Object clearing = builders.getMethod("clearMissing", boolean.class).invoke(builder, true);
    Object factory = builders.getMethod("build").invoke(clearing);

    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    MethodHandle capture =
        lookup.findVirtual(
            factories, "captureAll", MethodType.methodType(snapshots, Object[].class));
    MethodHandle wrap =
        lookup.findVirtual(
            snapshots, "wrap", MethodType.methodType(Runnable.class, Runnable.class));
    MethodHandle captured = MethodHandles.insertArguments(capture, 0, factory, new Object[0]);
    MethodHandle both = MethodHandles.foldArguments(wrap, captured);
    return job -> wrapped(both, job);
  }

  private static Runnable wrapped(MethodHandle wrap, Runnable job) {
    try {
      return (Runnable) wrap.invokeExact(job);
    } catch (RuntimeException | Error failure) {
      throw failure;
    } catch (Throwable undeclared) {
      throw new IllegalStateException(undeclared);
    }
  }
}
