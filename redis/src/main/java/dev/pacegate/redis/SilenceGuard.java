package dev.pacegate.redis;

import dev.pacegate.time.Durations;
import io.lettuce.core.protocol.CommandHandler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection on which nothing is heard for a while although a command is unanswered. A
 * network may forget a connection without a word, and TCP then repeats what it has sent for a
 * quarter of an hour; the Redis client makes another connection at once.
 *
 * <p>Used by the channel's thread only.
 */
final class SilenceGuard extends ChannelDuplexHandler {

  private final Duration longest;
  private final BooleanSupplier isDue;
  private @Nullable Future<?> alarm;

  private SilenceGuard(Duration longest, BooleanSupplier isDue) {
    this.longest = longest;
    this.isDue = isDue;
  }

  /** Guards a channel of the Redis client, whose handlers are there. */
  static void guard(Channel channel, Duration longest) {
    // The client notes a command before it sends it.
    Queue<?> unanswered = channel.pipeline().get(CommandHandler.class).getStack();
    guard(channel, longest, () -> !unanswered.isEmpty());
  }

  /**
   * Guards a channel whose other handlers are there.
   *
   * @param isDue whether anything that was sent is to be answered yet
   */
  static void guard(Channel channel, Duration longest, BooleanSupplier isDue) {
    channel.pipeline().addFirst(new SilenceGuard(longest, isDue));
  }

  // In two steps: a channel's thread that stood still, as when it first loads classes, runs what is
  // due before it reads. Between the two steps it reads what has arrived.
  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    watch(context);
    super.write(context, message, promise);
  }

  private void watch(ChannelHandlerContext context) {
    if (alarm == null) {
      alarm = in(7, context, () -> alarm = in(1, context, () -> close(context)));
    }
  }

  private Future<?> in(int eighths, ChannelHandlerContext context, Runnable task) {
    long nanos = longest.toNanos() / 8 * eighths;
    return context.executor().schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  private void close(ChannelHandlerContext context) {
    var silence = new IOException("no answer for " + Durations.brief(longest));
    context.fireExceptionCaught(silence); // commands and attempts to connect fail with this reason
    var unused = context.close(); // the handlers behind are told
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    cancel();
    context.fireChannelRead(message);
  }

  // What has been heard may be one answer of several, or half of one.
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.fireChannelReadComplete();
    if (context.channel().isActive() && isDue.getAsBoolean()) {
      watch(context);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    cancel();
    context.fireChannelInactive();
  }

  private void cancel() {
    if (alarm != null) {
      alarm.cancel(false);
      alarm = null;
    }
  }
}
