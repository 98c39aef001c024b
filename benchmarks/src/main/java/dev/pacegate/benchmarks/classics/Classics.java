package dev.pacegate.benchmarks.classics;

import dev.pacegate.benchmarks.Text;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/** Makes the page for those who come from an old library. */
public final class Classics {

  private Classics() {}

  /**
   * Returns the page.
   *
   * @param quick whether everything takes a tenth of the time, for a look
   */
  public static String page(boolean quick) throws Exception {
    long began = System.nanoTime();
    var body = new Text();
    new GuavaPart(quick).write(body);
    new PekkoPart().write(body);
    new ActorPart().write(body);
    return head(Duration.ofNanos(System.nanoTime() - began), body).toString() + body;
  }

  private static Text head(Duration took, Text body) {
    var system = ManagementFactory.getOperatingSystemMXBean();
    return new Text()
        .lines(
            "# Coming from another library",
            "",
            "This page is for users of Guava's `RateLimiter`, `throttle` in Akka and Pekko streams, and the actor `TimerBasedThrottler`.",
            "It shows how to write such a limiter in Pacegate, what stays the same, what is better, and what is different on purpose.",
            "",
            Text.format(
                "`benchmarks/run classics` wrote this page in %d seconds. All numbers come from that run, which also measured",
                took.toSeconds()),
            Text.format(
                "the other libraries: Guava %s and Pekko %s. The program that writes this page also checks the claims on it: of %d claims,",
                GuavaPart.version(), org.apache.pekko.Version.current(), body.claims()),
            Text.format("%d turned out to be false.", body.failed()),
            "",
            Text.format(
                "Machine: %d processors, %s %s, Java %s; load average at the end %.1f.",
                system.getAvailableProcessors(),
                system.getName(),
                system.getArch(),
                Runtime.version(),
                system.getSystemLoadAverage()));
  }
}
