package dev.pacegate.benchmarks.interleaved;

import dev.pacegate.benchmarks.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All slices of all forks. */
final class Readings {

  /** By case, then by fork, then by round. */
  private final Map<Case, List<List<Slice>>> slices = new HashMap<>();

  private int forks;

  /** Returns a slice as a line of a file. */
  static String line(Case turn, Slice slice) {
    return String.join(
        " ",
        turn.subject().name(),
        Boolean.toString(turn.grants()),
        Integer.toString(turn.version()),
        Long.toString(slice.calls()),
        Long.toString(slice.nanos()),
        Long.toString(slice.bytes()));
  }

  /** Adds what a fork has written, round after round. */
  void add(Path fork) throws IOException {
    forks++;
    for (String line : Files.readAllLines(fork)) {
      String[] words = line.split(" ");
      var turn =
          new Case(
              Subject.valueOf(words[0]),
              Boolean.parseBoolean(words[1]),
              Integer.parseInt(words[2]));
      add(
          turn,
          new Slice(Long.parseLong(words[3]), Long.parseLong(words[4]), Long.parseLong(words[5])));
    }
  }

  private void add(Case turn, Slice slice) {
    List<List<Slice>> all = slices.computeIfAbsent(turn, unknown -> new ArrayList<>());
    if (all.size() < forks) {
      all.add(new ArrayList<>());
    }
    all.get(forks - 1).add(slice);
  }

  /**
   * Returns how many times as long a call of one case took as one of the other: by fork and round,
   * each round by itself, as what disturbs the machine for a while disturbs both.
   */
  double[][] ratios(Case one, Case other) {
    var ratios = new double[forks][];
    for (int fork = 0; fork < forks; fork++) {
      List<Slice> above = of(one).get(fork);
      List<Slice> below = of(other).get(fork);
      ratios[fork] = new double[above.size()];
      for (int round = 0; round < above.size(); round++) {
        ratios[fork][round] = above.get(round).nanosPerCall() / below.get(round).nanosPerCall();
      }
    }
    return ratios;
  }

  /**
   * Returns these readings without the forks in which a call of {@code floor} took more than {@code
   * most} times as long as in the quickest: other work had the machine meanwhile.
   */
  Readings quiet(Case floor, double most) {
    double[] medians = medians(floor);
    double bound = most * Arrays.stream(medians).min().orElseThrow();
    var quiet = new Readings();
    quiet.forks = (int) Arrays.stream(medians).filter(median -> median <= bound).count();
    slices.forEach(
        (turn, byFork) -> {
          var kept = new ArrayList<List<Slice>>();
          for (int fork = 0; fork < forks; fork++) {
            if (medians[fork] <= bound) {
              kept.add(byFork.get(fork));
            }
          }
          quiet.slices.put(turn, kept);
        });
    return quiet;
  }

  int forks() {
    return forks;
  }

  /** Returns the median of the nanoseconds that a call took, for each fork. */
  double[] medians(Case turn) {
    return of(turn).stream().mapToDouble(Readings::median).toArray();
  }

  private static double median(List<Slice> slices) {
    double[] nanos = slices.stream().mapToDouble(Slice::nanosPerCall).sorted().toArray();
    return nanos[nanos.length / 2];
  }

  /** Returns the median of the nanoseconds that a call took. */
  double nanos(Case turn) {
    return median(of(turn).stream().flatMap(List::stream).toList());
  }

  /**
   * Returns the bytes that a call allocated, on average over all calls. 0 is less than one byte in
   * a thousand calls: the JVM itself allocates some 64 bytes once in a while, whatever the subject.
   */
  String bytes(Case turn) {
    double bytes = meanBytes(turn);
    return bytes >= 0.001 && bytes < 0.5 ? "< 1" : Long.toString(Math.round(bytes));
  }

  double meanBytes(Case turn) {
    List<Slice> all = of(turn).stream().flatMap(List::stream).toList();
    double calls = all.stream().mapToLong(Slice::calls).sum();
    return all.stream().mapToLong(Slice::bytes).sum() / calls;
  }

  private List<List<Slice>> of(Case turn) {
    List<List<Slice>> all = slices.get(turn);
    if (all == null) {
      throw new IllegalArgumentException("not measured: " + turn);
    }
    return all;
  }
}
