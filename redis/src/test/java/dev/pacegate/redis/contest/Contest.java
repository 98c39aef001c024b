package dev.pacegate.redis.contest;

import dev.pacegate.redis.rig.Child;
import dev.pacegate.redis.rig.PeerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Runs a contender as several processes that share a limit, before a peer that counts. */
final class Contest {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  /**
   * How it went.
   *
   * @param load what each process was told
   * @param peer what the peer has counted
   * @param failed calls that ended with an exception
   */
  record Result(Load load, PeerProcess.Report peer, long failed) {

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s %d/%s: %d counted, %.1f/s, worst %s: %d of %d, overtaken by %d at most, failed %d",
          load.variant(),
          load.most(),
          load.interval(),
          peer.count(),
          peer.perSecond(),
          load.interval(),
          peer.most(),
          load.most(),
          peer.mostOvertaken(),
          failed);
    }
  }

  private Contest() {}

  /**
   * Runs the worker's main class in that many processes, which all begin to send at once.
   *
   * @param load what they are told, but for their numbers
   */
  static Result run(Class<?> worker, int processes, PeerProcess peer, Load load) throws Exception {
    List<Child> workers = new ArrayList<>();
    try {
      for (int sender = 0; sender < processes; sender++) {
        workers.add(Child.start(worker, load.withSender(sender).toArguments()));
      }
      for (Child child : workers) {
        child.line("ready", LONGEST);
      }
      peer.reset();
      for (Child child : workers) {
        child.write("go");
      }
      long failed = 0;
      for (Child child : workers) {
        String line = child.line("sent ", load.duration().plus(LONGEST));
        failed += Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
      }
      return new Result(load, peer.report(load.interval()), failed);
    } finally {
      for (Child child : workers) {
        child.close();
      }
    }
  }
}
