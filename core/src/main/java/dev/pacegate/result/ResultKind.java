package dev.pacegate.result;

import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The kind of a job's result: the answer, or an object that delivers the answer later.
 *
 * <p>Types of other libraries are recognised by name, as this module depends on none. Each class is
 * examined once. Thread-safe.
 */
public enum ResultKind {

  /** The answer. */
  VALUE("", ""),

  /** A stage: it ends when the request does. */
  STAGE("a CompletionStage", "callAsync"),

  /** A future without a callback that the JDK knows. */
  FUTURE("a future", "callAsync, with a CompletionStage in its place"),

  /** A publisher, which sends nothing before it is subscribed to. */
  PUBLISHER("a publisher", "Pace.mapThrottled of the reactive module, or paced of the Kotlin one");

  private static final Set<String> PUBLISHERS =
      Set.of(
          "org.reactivestreams.Publisher",
          "kotlinx.coroutines.flow.Flow",
          "io.reactivex.rxjava3.core.ObservableSource",
          "io.reactivex.rxjava3.core.SingleSource",
          "io.reactivex.rxjava3.core.MaybeSource",
          "io.reactivex.rxjava3.core.CompletableSource",
          "io.smallrye.mutiny.Uni");

  private static final Set<String> FUTURES =
      Set.of("kotlinx.coroutines.Deferred", "scala.concurrent.Future");

  private static final ClassValue<ResultKind> KINDS =
      new ClassValue<>() {
        @Override
        protected ResultKind computeValue(Class<?> type) {
          return kind(type);
        }
      };

  private final String what;
  private final String verb;

  ResultKind(String what, String verb) {
    this.what = what;
    this.verb = verb;
  }

  /** Returns the kind of {@code result}; null is an answer. */
  public static ResultKind of(@Nullable Object result) {
    return result == null ? VALUE : KINDS.get(result.getClass());
  }

  /** Returns why a permit cannot end with {@code result}, and which method to use. */
  public String advice(Object result) {
    return "the job returned "
        + what
        + " ("
        + result.getClass().getName()
        + "), whose request may still be under way: use "
        + verb
        + ". Its permit counts as lost";
  }

  private static ResultKind kind(Class<?> type) {
    if (CompletionStage.class.isAssignableFrom(type)) {
      return STAGE;
    }
    if (Flow.Publisher.class.isAssignableFrom(type) || hasInterface(type, PUBLISHERS)) {
      return PUBLISHER;
    }
    return Future.class.isAssignableFrom(type) || hasInterface(type, FUTURES) ? FUTURE : VALUE;
  }

  private static boolean hasInterface(@Nullable Class<?> type, Set<String> names) {
    if (type == null) {
      return false;
    }
    boolean has = names.contains(type.getName()) || hasInterface(type.getSuperclass(), names);
    for (Class<?> parent : type.getInterfaces()) {
      has |= hasInterface(parent, names);
    }
    return has;
  }
}
