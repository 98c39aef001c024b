package dev.pacegate.benchmarks;

import dev.pacegate.benchmarks.classics.Classics;
import dev.pacegate.benchmarks.excess.Excess;
import dev.pacegate.benchmarks.growth.Growth;
import dev.pacegate.benchmarks.interleaved.Interleaved;
import dev.pacegate.benchmarks.peers.Peers;
import dev.pacegate.benchmarks.streams.Streams;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Runs all benchmarks and writes the pages about them. */
public final class Benchmarks {

  private static final int SEVERAL = 4;

  private Benchmarks() {}

  /**
   * Takes the folder for what is left over, the file to write and those for the parts about the
   * classics, the excess, streams, interleaved subjects, peers and growth, and then in any order
   * {@code --quick} for numbers that only show that everything works, and the names of the parts to
   * run: unless there are any all but the peers, which need servers.
   */
  public static void main(String[] args) throws Exception {
    long began = System.nanoTime();
    Path work = Files.createDirectories(Path.of(args[0]));
    Path file = Path.of(args[1]);
    var parts = new ArrayList<>(List.of(args).subList(8, args.length));
    boolean quick = parts.remove("--quick");

    if (wanted("classics", parts)) {
      System.out.println("classics");
      write(Path.of(args[2]), Classics.page(quick));
    }
    if (wanted("excess", parts)) {
      System.out.println("excess");
      write(Path.of(args[3]), Excess.page(quick));
    }
    if (wanted("streams", parts)) {
      write(Path.of(args[4]), Streams.page(quick));
    }
    if (wanted("interleaved", parts)) {
      String page = Interleaved.page(work, quick);
      System.out.println(page);
      write(Path.of(args[5]), page);
    }
    if (wanted("growth", parts)) {
      write(Path.of(args[7]), Growth.page(quick));
    }
    if (parts.contains("peers")) {
      peers(work.resolveSibling("peers"), Path.of(args[6]), quick);
    }
    if (!parts.isEmpty()
        && List.of("classics", "excess", "streams", "interleaved", "growth", "peers")
            .containsAll(parts)) {
      return;
    }

    var sections = new ArrayList<Consumer<Page>>();
    if (wanted("fidelity", parts)) {
      sections.add(fidelity(quick));
    }
    if (wanted("shaping", parts)) {
      sections.add(shaping(quick));
    }
    if (wanted("keys", parts)) {
      sections.add(keys(quick));
    }
    if (wanted("crowd", parts)) {
      sections.add(crowd(quick));
    }
    if (wanted("calls", parts)) {
      sections.add(calls(quick));
    }
    if (wanted("timers", parts)) {
      sections.add(timers(work, quick));
    }

    var page = new Page();
    page.head(Duration.ofNanos(System.nanoTime() - began));
    sections.forEach(section -> section.accept(page));
    write(file, page.toString());
  }

  private static void peers(Path folder, Path file, boolean quick) throws Exception {
    Text page = Peers.page(folder, quick);
    write(file, page.toString());
    if (page.failed() > 0) {
      throw new IllegalStateException("something that must hold does not: see " + file);
    }
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(file, text);
    System.out.println("written: " + file);
  }

  private static boolean wanted(String part, List<String> parts) {
    return parts.isEmpty() || parts.contains(part);
  }

  private static Consumer<Page> fidelity(boolean quick) throws InterruptedException {
    var one = new Fidelity(1, Duration.ofSeconds(quick ? 1 : 2));
    var several = new Fidelity(SEVERAL, Duration.ofSeconds(quick ? 1 : 2));
    for (long perSecond = quick ? 10_000 : 10;
        perSecond <= 1_000_000;
        perSecond *= quick ? 100 : 10) {
      System.out.println("fidelity at " + perSecond + " per second");
      one.measure(perSecond);
      several.measure(perSecond);
    }
    return page -> page.fidelity(one.rows(), several.rows(), SEVERAL);
  }

  private static Consumer<Page> shaping(boolean quick) throws InterruptedException {
    var shaping = new Shaping(Duration.ofMillis(800));
    for (int round = 0; round < (quick ? 1 : 3); round++) {
      for (long perSecond : quick ? List.of(Shaping.JUDGED) : List.of(100L, 1_000L, 10_000L)) {
        System.out.println("shaping at " + perSecond + " per second");
        shaping.round(perSecond);
      }
    }
    return page -> page.shaping(shaping);
  }

  private static Consumer<Page> keys(boolean quick) throws InterruptedException {
    var memory = new KeyMemory(quick ? 100_000 : 1_000_000);
    memory.measure();
    var levels = new KeyLevels(100_000, 1_000, quick ? 3 : 15);
    levels.measure();
    return page -> {
      page.keys(memory);
      page.lines(levels.lines());
    };
  }

  private static Consumer<Page> crowd(boolean quick) throws InterruptedException {
    var crowd = new Crowd(quick ? 10 : 100);
    for (int threads : quick ? List.of(100) : List.of(100, 1_000, 4_000)) {
      System.out.println("a crowd of " + threads);
      crowd.measure(threads);
    }
    var waiting = new Waiting(quick);
    waiting.measure();
    return page -> page.crowd(crowd, waiting);
  }

  private static Consumer<Page> calls(boolean quick) throws IOException, InterruptedException {
    var handOns = new HandOns(20_000);
    handOns.warmUp(quick ? 200_000 : 400_000);
    for (int round = 1; round <= (quick ? 3 : 5); round++) {
      System.out.println("a permit from coroutine to coroutine, round " + round);
      for (int coroutines : List.of(10, 100, 1_000)) {
        handOns.round(coroutines);
      }
    }
    var rates = quick ? new CallRates(300, 300, 30_000) : new CallRates(100_000, 2_000, 60_000);
    rates.measure(quick ? 3 : 15);
    return page -> {
      page.lines(handOns.lines());
      page.lines(rates.lines());
    };
  }

  private static Consumer<Page> timers(Path work, boolean quick) throws Exception {
    var speed = new TimerSpeed(work, quick);
    var lateness = new Lateness(quick ? 250 : 1_000);
    for (int round = 1; round <= (quick ? 1 : 2); round++) {
      speed.round();
      System.out.println("lateness, round " + round);
      lateness.round();
    }
    System.out.println("idle timers");
    List<Idle.Row> idle = Idle.watch(Duration.ofSeconds(quick ? 1 : 5));
    return page -> new TimerSection(page).write(speed, lateness, idle);
  }
}
