package dev.pacegate.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The reply to a call that goes by itself and asks for no units, once there is one. */
final class ReplyFuture extends CompletableFuture<Reply> implements Caller {

  private final List<String> arguments;
  private final Consumer<Throwable> late;

  private ReplyFuture(List<String> arguments, Consumer<Throwable> late) {
    this.arguments = arguments;
    this.late = late;
  }

  /** Calls a script; {@code late} is told as that of a caller. */
  static CompletableFuture<Reply> of(
      ScriptRunner store,
      Script script,
      Address address,
      List<String> arguments,
      Consumer<Throwable> late) {
    var reply = new ReplyFuture(arguments, late);
    store.run(script, address, 0, reply);
    return reply;
  }

  @Override
  public @Nullable Object source() {
    return null;
  }

  @Override
  public List<String> common() {
    return List.of();
  }

  @Override
  public List<String> arguments() {
    return arguments;
  }

  @Override
  public void late(Throwable why) {
    late.accept(why);
  }

  @Override
  public void answered(@Nullable Reply reply, @Nullable Throwable failure) {
    if (reply != null) {
      complete(reply);
    } else {
      completeExceptionally(failure == null ? new IllegalStateException("no reply") : failure);
    }
  }
}
