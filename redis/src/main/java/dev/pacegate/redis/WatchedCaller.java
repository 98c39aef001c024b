package dev.pacegate.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A caller whose failures are seen on their way to it, and may be told in other words.
 *
 * @param watchLate gets why it is late
 * @param watch gets the failure, or null of a call that was answered
 */
record WatchedCaller(
    Caller caller,
    UnaryOperator<Throwable> watchLate,
    Function<@Nullable Throwable, @Nullable Throwable> watch)
    implements Caller {

  @Override
  public @Nullable Object source() {
    return caller.source();
  }

  @Override
  public List<String> common() {
    return caller.common();
  }

  @Override
  public List<String> arguments() {
    return caller.arguments();
  }

  @Override
  public CompletionStage<?> waitedFor() {
    return caller.waitedFor();
  }

  @Override
  public long usefulFor() {
    return caller.usefulFor();
  }

  @Override
  public void late(Throwable why) {
    caller.late(watchLate.apply(why));
  }

  @Override
  public void answered(@Nullable Reply reply, @Nullable Throwable failure) {
    caller.answered(reply, watch.apply(failure));
  }
}
