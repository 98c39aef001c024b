package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a connection is given up, in virtual time. */
class SilenceGuardTest {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private boolean isDue;

  SilenceGuardTest() {
    channel.freezeTime();
    SilenceGuard.guard(channel, Duration.ofMillis(800), () -> isDue);
  }

  private void pass(long millis) {
    channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  @Test
  void silenceAfterACallEndsIt() {
    channel.writeOutbound("call");
    pass(700);
    pass(99);
    assertTrue(channel.isOpen());
    pass(1);
    assertFalse(channel.isOpen());
    var told = assertThrows(IOException.class, channel::checkException);
    assertEquals("no answer for 800ms", told.getMessage());
  }

  @Test
  void silenceWithoutACallIsNone() {
    pass(10_000);
    channel.writeOutbound("call");
    channel.writeInbound("answer");
    pass(10_000);
    pass(10_000);
    assertTrue(channel.isOpen());
  }

  /** The answer has arrived while the channel's thread stood still, and is read as it goes on. */
  @Test
  void aThreadThatStoodStillIsNoSilence() {
    channel.writeOutbound("call");
    pass(10_000);
    channel.writeInbound("answer");
    pass(10_000);
    assertTrue(channel.isOpen());
  }

  @Test
  void silenceAfterTheFirstOfTwoAnswersEndsIt() {
    channel.writeOutbound("call", "call");
    isDue = true;
    pass(600);
    channel.writeInbound("answer");
    pass(700);
    pass(99);
    assertTrue(channel.isOpen());
    pass(1);
    assertFalse(channel.isOpen());
    assertThrows(IOException.class, channel::checkException);
  }

  @Test
  void silenceAfterTheLastAnswerIsNone() {
    channel.pipeline().addLast(new Answered());
    channel.writeOutbound("call");
    isDue = true;
    channel.writeInbound("answer");
    pass(10_000);
    pass(10_000);
    assertTrue(channel.isOpen());
  }

  private final class Answered extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      isDue = false;
    }
  }

  /** As {@link #aThreadThatStoodStillIsNoSilence}, of a second answer. */
  @Test
  void aThreadThatStoodStillAfterAnAnswerIsNoSilence() {
    channel.writeOutbound("call", "call");
    isDue = true;
    channel.writeInbound("answer");
    pass(10_000);
    isDue = false;
    channel.writeInbound("answer");
    pass(10_000);
    assertTrue(channel.isOpen());
  }

  /** What the real client says is due: a command that blocks for ever is never answered. */
  @Test
  @Timeout(180)
  void aClientIsToldOfSilenceAfterTheFirstOfTwoAnswers() throws Exception {
    var own = new OwnClient();
    try (var server = RedisServer.start(Version.V6_2)) {
      var client = own.client(RedisURI.create(server.uri()));
      var told =
          Await.value("only the second is late", LONGEST, () -> silenceAfterTheFirst(client));
      assertEquals("no answer for 1s", told.getMessage());
    } finally {
      own.shutDown();
    }
  }

  /** Fails if the first is late too, as on a machine that stands still. */
  private static Throwable silenceAfterTheFirst(RedisClient client) throws Exception {
    try (var connection = client.connect()) {
      connection.setAutoFlushCommands(false);
      var first = connection.async().ping();
      var second = connection.async().blpop(0, "none");
      connection.flushCommands();
      first.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
      var told =
          assertThrows(
              ExecutionException.class, () -> second.get(LONGEST.toSeconds(), TimeUnit.SECONDS));
      return requireNonNull(told.getCause());
    }
  }
}
