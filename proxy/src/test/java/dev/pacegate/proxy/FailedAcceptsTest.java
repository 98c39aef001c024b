package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A server goes on when it could not accept a connection for a while. */
class FailedAcceptsTest {

  @Test
  void pausesAndGoesOnWhateverFails() {
    for (Throwable failure : List.of(new IOException("Too many open files"), new Error("other"))) {
      var said = new ArrayList<String>();
      var channel = new EmbeddedChannel(new FailedAccepts(said::add));
      channel.freezeTime();
      channel.pipeline().fireExceptionCaught(failure);
      channel.pipeline().fireExceptionCaught(failure);
      assertFalse(channel.config().isAutoRead());
      assertEquals(List.of("cannot accept connections: " + failure.getMessage()), said);
      channel.advanceTimeBy(FailedAccepts.PAUSE_SECONDS, TimeUnit.SECONDS);
      channel.runPendingTasks();
      assertTrue(channel.config().isAutoRead());
      channel.checkException(); // nothing came to Netty's own log
      channel.finishAndReleaseAll();
    }
  }

  /** Netty logs on the threads that carry requests. */
  @Test
  @Tag("slow")
  @DisabledOnOs(OS.WINDOWS)
  void theLogWorksWhenDescriptorsHaveRunOut() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -n 256; exec \"$@\"",
                "sh",
                java,
                "-XX:-MaxFDLimit",
                "-cp",
                System.getProperty("java.class.path"),
                LogWithoutDescriptors.class.getName())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    assertTrue(said.contains("logged all the same"), said);
  }
}
