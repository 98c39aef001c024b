package dev.pacegate.benchmarks.excess;

import dev.pacegate.benchmarks.Text;
import java.lang.management.ManagementFactory;

/** Makes the page about how much more than its limit a peer gets. */
public final class Excess {

  /** Drawn from this page by a test of the simulator. */
  private static final String PICTURE =
      "![The most requests in any interval, by library: at the API only peer stays at the limit;"
          + " leaving the program only Pacegate does, and Guava, Failsafe, Bucket4j and Resilience4j"
          + " exceed it](../pictures/excess.svg)";

  private Excess() {}

  /**
   * Returns the page.
   *
   * @param quick whether everything is short, for a look
   */
  public static String page(boolean quick) throws InterruptedException {
    var body = new Text();
    new Virtual(quick).write(body);
    new Real(quick).write(body);
    return head(body).toString() + body;
  }

  private static Text head(Text body) {
    var system = ManagementFactory.getOperatingSystemMXBean();
    return new Text()
        .lines(
            "# What the peer gets",
            "",
            "How much more than its limit a peer gets from programs that keep to it, each in their own way. Most of the limiters here",
            "promise less than what is asked of them: a bucket of 10 that is filled at 10 a second lets 19 through in a second, as its",
            "documentation says. The tables show what that means to a peer that counts 10 in any second.",
            "",
            "Made by `benchmarks/run excess`.",
            Text.format(
                "Machine: %d processors, %s %s, Java %s; load average at the end %.1f.",
                system.getAvailableProcessors(),
                system.getName(),
                system.getArch(),
                Runtime.version(),
                system.getSystemLoadAverage()),
            body.surprises().isEmpty()
                ? "In virtual time `"
                    + Pacers.PEER
                    + "` was never refused by a peer that counts, nor `"
                    + Pacers.ESTIMATED
                    + "` by one that estimates."
                : "\nNot as it should be:\n\n" + body.surprises(),
            "",
            PICTURE);
  }
}
