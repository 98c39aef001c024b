package dev.pacegate.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Runs all benchmarks and writes the page about them. */
public final class Benchmarks {

  private static final int SEVERAL = 4;

  private Benchmarks() {}

  /**
   * Takes the folder for what is left over, the file to write, and {@code --quick} for numbers that
   * only show that everything works.
   */
  public static void main(String[] args) throws Exception {
    Path work = Files.createDirectories(Path.of(args[0]));
    Path file = Path.of(args[1]);
    boolean quick = args.length > 2 && args[2].equals("--quick");

    var speed = new Speed(work, quick);
    speed.round(1);
    speed.round(2);
    if (!quick) {
      speed.round(1);
      speed.round(2);
      speed.round(1);
    }

    var one = new Fidelity(1, Duration.ofSeconds(quick ? 1 : 2));
    var several = new Fidelity(SEVERAL, Duration.ofSeconds(quick ? 1 : 2));
    for (long perSecond = quick ? 10_000 : 10;
        perSecond <= 1_000_000;
        perSecond *= quick ? 100 : 10) {
      System.out.println("fidelity at " + perSecond + " per second");
      one.measure(perSecond);
      several.measure(perSecond);
    }

    var page = new Page();
    page.head();
    page.speed(speed);
    page.fidelity(one.rows(), several.rows(), SEVERAL);
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(file, page.toString());
    System.out.println("written: " + file);
  }
}
