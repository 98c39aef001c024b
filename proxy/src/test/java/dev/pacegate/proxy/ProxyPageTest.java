package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The numbers of docs/proxy.md are those of the code. */
class ProxyPageTest {

  @Test
  void boundsAreThoseOfTheCode() throws Exception {
    String page = Files.readString(Path.of("../docs/proxy.md"));
    List<String> bounds =
        List.of(
            "| streams at a time on a connection | " + Http2Bounds.MOST_STREAMS + " |",
            Http2Bounds.MOST_RESETS + " in " + Http2Bounds.RESET_SECONDS + " seconds",
            "| the head of a request | " + Http2Bounds.LARGEST_HEAD / 1024 + " KiB,",
            ClientBody.MOST_AHEAD / 1024 + " KiB read ahead",
            "takes less than " + LargeBodiesTest.MOST_RESIDENT + " MB");
    for (String bound : bounds) {
      assertTrue(page.contains(bound), bound);
    }
  }
}
