package dev.pacegate.benchmarks.streams;

import dev.pacegate.benchmarks.PekkoStream;
import java.time.Duration;
import java.util.List;

/** Makes the page about streams. */
public final class Streams {

  private Streams() {}

  /**
   * Returns the page.
   *
   * @param quick whether everything takes a part of the time, for a look
   */
  public static String page(boolean quick) throws InterruptedException {
    long began = System.nanoTime();
    var rates = new Rates(Duration.ofMillis(800));
    for (int round = 1; round <= (quick ? 1 : 3); round++) {
      for (long perSecond : quick ? List.of(1_000L) : StreamsText.RATES) {
        System.out.println("streams at " + perSecond + " per second, round " + round);
        rates.round(perSecond);
      }
    }
    var passThrough = new PassThrough(quick ? 300_000 : 3_000_000);
    try (var pekko = new PekkoStream()) {
      for (int round = 1; round <= (quick ? 2 : 7); round++) {
        System.out.println("streams that let everything through, round " + round);
        passThrough.round(pekko);
      }
    }
    System.out.println("streams that do nothing");
    var idleness = new Idleness(quick ? 1_000 : 10_000, Duration.ofSeconds(quick ? 1 : 5));
    idleness.measure();
    var text = new StreamsText(rates, passThrough, idleness);
    return text.page(Duration.ofNanos(System.nanoTime() - began));
  }
}
