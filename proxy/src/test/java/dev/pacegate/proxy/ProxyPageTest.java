package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The numbers of the pages are those of the code. */
class ProxyPageTest {

  @Test
  void boundsAreThoseOfTheCode() throws Exception {
    shows(
        "proxy-http2.md",
        "| streams at a time on a connection | " + Http2Bounds.MOST_STREAMS + " |",
        Http2Bounds.MOST_RESETS + " in " + Http2Bounds.RESET_SECONDS + " seconds",
        "| the head of a request | " + Http2Bounds.LARGEST_HEAD / 1024 + " KiB,",
        ClientBody.MOST_AHEAD / 1024 + " KiB read ahead",
        "takes less than " + LargeBodiesTest.MOST_RESIDENT + " MB");
    shows("proxy.md", "Heads of more than " + Http2Bounds.LARGEST_HEAD / 1024 + " KiB");
  }

  @Test
  void timesAndSizesAreThoseOfTheCode() throws Exception {
    ProxySettings standard = ProxySettings.STANDARD;
    int ahead = ClientBody.MOST_AHEAD / 1024;
    shows(
        "proxy.md",
        "| `--max-wait` | `" + standard.maxWait().toSeconds() + "s` |",
        "| `--queue` | `" + standard.queue() + "` |",
        "the first " + ahead + " KiB of the body, nothing comes for " + standard.body().toSeconds(),
        "take longer than " + standard.bodyInAll().toMinutes() + " minutes",
        "within " + standard.connect().toSeconds() + " seconds",
        "counts as " + (2 * ahead + Http2Bounds.STREAM_WINDOW / 1024 + 1) + " KiB");
  }

  private static void shows(String page, String... texts) throws Exception {
    String all = Files.readString(Path.of("..", "docs", page));
    for (String text : texts) {
      assertTrue(all.contains(text), text);
    }
  }
}
