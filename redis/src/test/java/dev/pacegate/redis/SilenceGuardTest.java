package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a connection is given up, in virtual time. */
class SilenceGuardTest {

  private final EmbeddedChannel channel = new EmbeddedChannel();

  SilenceGuardTest() {
    channel.freezeTime();
    SilenceGuard.guard(channel, Duration.ofMillis(800));
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
}
