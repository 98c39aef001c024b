package dev.pacegate.architecture;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.LimiterListener;
import dev.pacegate.ReloadListener;
import dev.pacegate.adapter.MessageReader;
import dev.pacegate.audit.Reorder;
import dev.pacegate.limit.spi.MeterProvider;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every public constructor and method takes null for no argument, but for those that say {@code
 * Nullable}: it throws a NullPointerException, and at once.
 */
class NullArgumentsTest {

  /** Interfaces that programs implement: what their methods are given comes from limiters. */
  private static final Set<Class<?>> OF_PROGRAMS =
      Set.of(LimiterListener.class, ReloadListener.class, Reorder.Sink.class, MessageReader.class);

  private final List<String> wrong = new ArrayList<>();
  private int tried;

  @Test
  @Timeout(60) // what lets null through may wait for ever
  void nullIsRefusedByEveryPublicMethod() {
    for (Class<?> type : PublicTypes.all()) {
      for (Executable executable : executables(type)) {
        check(type, executable);
      }
    }
    assertEquals("", String.join("\n", wrong));
    assertTrue(tried > 300, "only " + tried + " arguments were tried");
  }

  /**
   * None of exceptions, as the one that is being thrown says more than a second one would, and none
   * of meters and listeners, which limiters call and not programs.
   */
  private static List<Executable> executables(Class<?> type) {
    if (Throwable.class.isAssignableFrom(type) || isForLimiters(type)) {
      return List.of();
    }
    return Stream.<Executable>concat(
            Stream.of(type.getConstructors()).filter(made -> !isAbstract(type)),
            Stream.of(type.getDeclaredMethods()).filter(NullArgumentsTest::isForPrograms))
        .filter(executable -> Modifier.isPublic(executable.getModifiers()))
        .toList();
  }

  private static boolean isAbstract(Class<?> type) {
    return Modifier.isAbstract(type.getModifiers());
  }

  private static boolean isForLimiters(Class<?> type) {
    return OF_PROGRAMS.contains(type)
        || type.getPackageName().equals(MeterProvider.class.getPackageName());
  }

  /** Nothing that the compiler has made, and no {@code equals}. */
  private static boolean isForPrograms(Method method) {
    return !method.isSynthetic()
        && !method.getName().equals("equals")
        && Stream.of(MeterProvider.class.getMethods())
            .noneMatch(ofMeters -> isSame(ofMeters, method));
  }

  private static boolean isSame(Method one, Method other) {
    return one.getName().equals(other.getName())
        && Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
  }

  private void check(Class<?> type, Executable executable) {
    Parameter[] parameters = executable.getParameters();
    for (int i = 0; i < parameters.length; i++) {
      if (!parameters[i].getType().isPrimitive() && !isNullable(parameters[i])) {
        check(type, executable, i);
      }
    }
  }

  private static boolean isNullable(Parameter parameter) {
    AnnotatedElement written = parameter.getAnnotatedType();
    return written.isAnnotationPresent(Nullable.class);
  }

  private void check(Class<?> type, Executable executable, int which) {
    boolean isStatic = !(executable instanceof Method) || isStatic(executable);
    List<Object> subjects = isStatic ? List.of("") : Samples.subjects(type);
    assertFalse(subjects.isEmpty(), () -> "no sample of " + type);
    for (Object subject : subjects) {
      tried++;
      String outcome = outcome(subject, executable, which);
      if (!outcome.equals("NullPointerException")) {
        wrong.add(text(type, subject, executable, which) + ": " + outcome);
      }
    }
  }

  private static boolean isStatic(Executable executable) {
    return Modifier.isStatic(executable.getModifiers());
  }

  private static String text(Class<?> type, Object subject, Executable executable, int which) {
    return type.getSimpleName()
        + (subject.getClass() == type ? "" : " (" + subject.getClass().getSimpleName() + ")")
        + "."
        + executable.getName().replaceFirst(".*[.]", "")
        + Stream.of(executable.getParameterTypes()).map(Class::getSimpleName).toList()
        + " with null at "
        + which;
  }

  private static String outcome(Object subject, Executable executable, int which) {
    Class<?>[] types = executable.getParameterTypes();
    var arguments = new @Nullable Object[types.length];
    for (int i = 0; i < types.length; i++) {
      arguments[i] = i == which ? null : Samples.value(types[i]);
    }
    try {
      executable.setAccessible(true);
      Object result =
          executable instanceof Method method
              ? method.invoke(subject, arguments)
              : ((Constructor<?>) executable).newInstance(arguments);
      return "returned " + result;
    } catch (InvocationTargetException thrown) {
      return requireNonNull(thrown.getCause()).getClass().getSimpleName();
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError(impossible.getMessage(), impossible);
    }
  }
}
