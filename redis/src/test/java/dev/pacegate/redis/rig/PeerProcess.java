package dev.pacegate.redis.rig;

import static java.util.stream.Collectors.toUnmodifiableSet;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** A {@link Peer} in a JVM of its own, and what it says of its arrivals. Used by one thread. */
public final class PeerProcess implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  /**
   * What a peer has counted.
   *
   * @param count requests that have arrived
   * @param most the most of them in any half-open interval of the length that was asked for
   * @param mostOvertaken by how many requests that were queued later one was overtaken, at most
   * @param perSecond arrivals in a second
   */
  public record Report(int count, int most, int mostOvertaken, double perSecond) {}

  private final Child child;
  private final int port;

  private PeerProcess(Child child) throws InterruptedException {
    this.child = child;
    this.port = Integer.parseInt(child.line(LONGEST));
  }

  /** Starts one that answers after 20 to 60 ms. */
  public static PeerProcess start(long seed) throws Exception {
    return start(seed, Duration.ofMillis(20), Duration.ofMillis(60));
  }

  /** Starts one that answers after a random time, in whole milliseconds, between the two. */
  public static PeerProcess start(long seed, Duration least, Duration most) throws Exception {
    Child child =
        Child.start(
            Peer.class,
            Long.toString(seed),
            Long.toString(least.toMillis()),
            Long.toString(most.toMillis()));
    try {
      return new PeerProcess(child);
    } catch (Throwable e) {
      child.close();
      throw e;
    }
  }

  /** Returns its port, for a {@link PeerConnection}. */
  public int port() {
    return port;
  }

  /** Returns how many requests have arrived. */
  public int count() throws IOException {
    return Integer.parseInt(ask("count"));
  }

  /** Returns the most requests that had arrived and were not answered, at any instant. */
  public int mostInside() throws IOException {
    return Integer.parseInt(ask("inside"));
  }

  /** Returns the senders of what has arrived since an instant of {@link System#nanoTime()}. */
  public Set<Integer> sendersSince(long instant) throws IOException {
    return Arrays.stream(ask("senders " + instant).split(" ", -1))
        .skip(1)
        .filter(sender -> !sender.isEmpty())
        .map(Integer::valueOf)
        .collect(toUnmodifiableSet());
  }

  /** Returns what it has counted, with the most in any half-open interval of that length. */
  public Report report(Duration window) throws IOException {
    String[] words = ask("report " + window.toNanos()).split(" ", -1);
    return new Report(
        Integer.parseInt(words[0]),
        Integer.parseInt(words[1]),
        Integer.parseInt(words[2]),
        Double.parseDouble(words[3]));
  }

  /** Returns all that has arrived. */
  public Arrivals arrivals() throws IOException {
    List<Arrivals.Arrival> all = new ArrayList<>();
    try (var connection = new PeerConnection(port)) {
      for (String line = connection.ask("list"); !line.equals("end"); line = connection.next()) {
        all.add(Arrivals.Arrival.ofLine(line));
      }
    }
    return new Arrivals(all);
  }

  /** Lets it answer after other times from now on. */
  public void delay(Duration least, Duration most) throws IOException {
    ask("delay " + least.toMillis() + " " + most.toMillis());
  }

  /** Lets it forget what has arrived. */
  public void reset() throws IOException {
    ask("reset");
  }

  /** Returns its process, which can be killed or stopped. */
  public Child process() {
    return child;
  }

  private String ask(String line) throws IOException {
    try (var connection = new PeerConnection(port)) {
      return connection.ask(line);
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    child.close();
  }
}
