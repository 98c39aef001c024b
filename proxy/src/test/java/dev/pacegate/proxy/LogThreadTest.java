package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A flood of refusals must not fill the disk, and none of them is left out in silence. */
class LogThreadTest {

  private static final int FLOOD = 5000;

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final LogThread log = new LogThread(told::add);

  @AfterEach
  void close() {
    log.close();
  }

  private void flood(int size) {
    for (int i = 0; i < size; i++) {
      log.refused(429, "refusal");
    }
  }

  /** Returns how many refusals were told: each has a line, or is among the number of others. */
  private int counted() {
    return counted("refusal", 429);
  }

  private int counted(String text, int status) {
    Pattern others = Pattern.compile("(\\d+) more requests? with " + status);
    int sum = 0;
    for (String line : told) {
      Matcher more = others.matcher(line);
      sum += line.startsWith(text) ? 1 : 0;
      sum += more.find() ? Integer.parseInt(more.group(1)) : 0;
    }
    return sum;
  }

  @Test
  void aFloodOfRefusalsHasFewLinesThatCountAllOfThem() throws Exception {
    long begun = System.nanoTime();
    flood(FLOOD + 1);
    ProxyRig.eventually(() -> counted() == FLOOD + 1);
    long seconds = (System.nanoTime() - begun) / 1_000_000_000;
    assertTrue(told.size() <= LogThread.BURST + 2 * (seconds + 1), told::toString);
  }

  @Test
  void theLastOnesAreCountedAtTheEnd() throws Exception {
    flood(FLOOD);
    log.close(); // which does not wait for ever
    ProxyRig.eventually(() -> counted() == FLOOD);
  }

  @Test
  void otherLinesAreToldInTheMidstOfAFlood() throws Exception {
    flood(500); // there is place for all
    for (int i = 0; i < 30; i++) {
      log.accept("event " + i);
    }
    ProxyRig.eventually(() -> told.contains("event 29"));
    assertEquals(30, told.stream().filter(line -> line.startsWith("event")).count());
  }

  /** What matters must not be one of many among what does not. */
  @Test
  void refusalsOfAnotherStatusAreToldInTheMidstOfAFlood() throws Exception {
    flood(500);
    for (int i = 0; i < LogThread.BURST; i++) {
      log.refused(502, "broken " + i);
    }
    ProxyRig.eventually(() -> told.contains("broken " + (LogThread.BURST - 1)));
    for (int i = 0; i < 100; i++) {
      log.refused(502, "broken");
    }
    log.close();
    ProxyRig.eventually(() -> counted("broken", 502) == LogThread.BURST + 100);
    assertTrue(told.stream().anyMatch(line -> line.endsWith(" with 502")), told::toString);
  }

  /** They are not told by the next one of their status alone. */
  @Test
  void thoseLeftOutAreToldWhileOthersGoOn() throws Exception {
    for (int i = 0; i < 2 * LogThread.BURST; i++) {
      log.refused(502, "broken");
    }
    ProxyRig.eventually(
        () -> {
          log.refused(429, "refusal");
          return told.stream().anyMatch(line -> line.startsWith("refused: "))
              && told.stream().filter(line -> line.startsWith("refusal")).count() > LogThread.BURST;
        });
    assertTrue(told.stream().anyMatch(line -> line.endsWith(" with 502")), told::toString);
  }

  @Test
  void refusalsNowAndThenHaveALineEach() throws Exception {
    for (int i = 0; i < LogThread.BURST; i++) {
      log.refused(429, "refusal " + i);
    }
    ProxyRig.eventually(() -> told.contains("refusal " + (LogThread.BURST - 1)));
    assertEquals(LogThread.BURST, told.size());
  }
}
