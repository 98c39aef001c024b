package dev.pacegate.benchmarks.interleaved;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs forks one after the other, each a JVM of its own, and collects what they have found. */
final class Forks {

  private Forks() {}

  static Readings run(Plan plan, Lineup lineup, Path work)
      throws IOException, InterruptedException {
    Files.createDirectories(work);
    var readings = new Readings();
    for (int fork = 0; fork < plan.forks(); fork++) {
      System.out.println("fork " + (fork + 1) + " of " + plan.forks());
      Path file = work.resolve("fork-" + fork + ".txt");
      run(Fork.arguments(file, plan.fork(fork), lineup));
      readings.add(file);
    }
    return readings;
  }

  private static void run(List<String> arguments) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // A heap that neither grows nor has to be asked of the system within a slice.
    command.addAll(List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Fork.class.getName()));
    command.addAll(arguments);
    int exit = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (exit != 0) {
      throw new IllegalStateException("a fork ended with " + exit);
    }
  }
}
