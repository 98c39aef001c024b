package dev.pacegate.job;

import dev.pacegate.limit.Outcome;
import dev.pacegate.waiting.Crew;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Stages of user code that keep to no contract. */
public enum HostileStage {
  THROWS_WHEN_LISTENED_TO(
      Outcome.LOST,
      listener -> {
        throw new IllegalStateException("thrown by a test");
      }),
  THROWS_AN_ERROR_WHEN_LISTENED_TO(
      Outcome.LOST,
      listener -> {
        throw new StackOverflowError("thrown by a test");
      }),
  ANSWERS_AND_THROWS(
      Outcome.ANSWERED,
      listener -> {
        listener.accept("answer", null);
        throw new IllegalStateException("thrown by a test");
      }),
  FAILS_AND_THROWS(
      Outcome.LOST,
      listener -> {
        listener.accept(null, new SocketTimeoutException("thrown by a test"));
        throw new IllegalStateException("thrown by a test");
      }),
  ANSWERS_TWICE(
      Outcome.ANSWERED,
      listener -> {
        listener.accept("answer", null);
        listener.accept("another answer", null);
      }),
  ANSWERS_AND_FAILS(
      Outcome.ANSWERED,
      listener -> {
        listener.accept("answer", null);
        listener.accept(null, new SocketTimeoutException("thrown by a test"));
      }),
  FAILS_AND_ANSWERS(
      Outcome.LOST,
      listener -> {
        listener.accept(null, new SocketTimeoutException("thrown by a test"));
        listener.accept("answer", null);
      }),
  ANSWERS_AND_FAILS_AT_ONCE(
      Outcome.LOST,
      listener -> listener.accept("answer", new SocketTimeoutException("thrown by a test"))),
  ANSWERS_ON_ANOTHER_THREAD(
      Outcome.ANSWERED,
      listener -> Crew.join(Crew.start("of the stage", () -> listener.accept("answer", null)))),
  NEVER_ENDS(Outcome.LOST, listener -> {});

  /** What it does when it is listened to. */
  @FunctionalInterface
  private interface Conduct {
    void of(BiConsumer<@Nullable Object, @Nullable Throwable> listener);
  }

  private final Outcome outcome;

  @SuppressWarnings("ImmutableEnumChecker") // it knows nothing but its argument
  private final Conduct conduct;

  HostileStage(Outcome outcome, Conduct conduct) {
    this.outcome = outcome;
    this.conduct = conduct;
  }

  /** Returns how the permit of its request ends. */
  public Outcome outcome() {
    return outcome;
  }

  /** Returns a stage whose other methods throw errors, those that would cancel it included. */
  @SuppressWarnings("unchecked")
  public CompletionStage<String> stage() {
    return (CompletionStage<String>)
        Proxy.newProxyInstance(
            HostileStage.class.getClassLoader(),
            new Class<?>[] {CompletionStage.class},
            (stage, method, arguments) -> {
              if (method.getName().equals("whenComplete")) {
                conduct.of((BiConsumer<@Nullable Object, @Nullable Throwable>) arguments[0]);
                return null;
              }
              throw new AssertionError("thrown by a test: " + method.getName());
            });
  }
}
