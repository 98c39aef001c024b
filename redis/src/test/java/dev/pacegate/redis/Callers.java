package dev.pacegate.redis;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Callers of one call each. */
final class Callers {

  private Callers() {}

  /** Returns one that goes by itself. */
  static Caller of(
      Supplier<List<String>> arguments,
      Consumer<Throwable> late,
      BiConsumer<@Nullable Reply, @Nullable Throwable> answered) {
    return of(null, arguments, late, answered);
  }

  /** Returns one that shares calls with others of that source. */
  static Caller of(
      @Nullable Object source,
      Supplier<List<String>> arguments,
      Consumer<Throwable> late,
      BiConsumer<@Nullable Reply, @Nullable Throwable> answered) {
    return new Caller() {
      @Override
      public @Nullable Object source() {
        return source;
      }

      @Override
      public List<String> common() {
        return List.of();
      }

      @Override
      public List<String> arguments() {
        return arguments.get();
      }

      @Override
      public void late(Throwable why) {
        late.accept(why);
      }

      @Override
      public void answered(@Nullable Reply reply, @Nullable Throwable failure) {
        answered.accept(reply, failure);
      }
    };
  }
}
