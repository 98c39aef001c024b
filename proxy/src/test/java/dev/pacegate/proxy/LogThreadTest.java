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
  private static final Pattern MORE = Pattern.compile("(\\d+) more requests?");

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final LogThread log = new LogThread(told::add);

  @AfterEach
  void close() {
    log.close();
  }

  private void flood() {
    for (int i = 0; i < FLOOD; i++) {
      log.refused("refusal");
    }
  }

  /** Returns how many refusals were told: each has a line, or is among the number of others. */
  private int counted() {
    int sum = 0;
    for (String line : told) {
      Matcher more = MORE.matcher(line);
      sum += line.startsWith("refusal") ? 1 : 0;
      sum += more.find() ? Integer.parseInt(more.group(1)) : 0;
    }
    return sum;
  }

  @Test
  void aFloodOfRefusalsHasFewLinesThatCountAllOfThem() throws Exception {
    long begun = System.nanoTime();
    flood();
    log.refused("refusal");
    ProxyRig.eventually(() -> counted() == FLOOD + 1);
    long seconds = (System.nanoTime() - begun) / 1_000_000_000;
    assertTrue(told.size() <= LogThread.BURST + 2 * (seconds + 1), told::toString);
  }

  @Test
  void theLastOnesAreCountedAtTheEnd() {
    flood();
    log.close();
    assertEquals(FLOOD, counted());
  }

  @Test
  void otherLinesAreToldInTheMidstOfAFlood() throws Exception {
    flood();
    ProxyRig.eventually(() -> counted() > 0);
    for (int i = 0; i < 30; i++) {
      log.accept("event " + i);
    }
    ProxyRig.eventually(() -> told.contains("event 29"));
    assertEquals(30, told.stream().filter(line -> line.startsWith("event")).count());
  }

  @Test
  void refusalsNowAndThenHaveALineEach() throws Exception {
    for (int i = 0; i < LogThread.BURST; i++) {
      log.refused("refusal " + i);
    }
    ProxyRig.eventually(() -> told.contains("refusal " + (LogThread.BURST - 1)));
    assertEquals(LogThread.BURST, told.size());
  }
}
