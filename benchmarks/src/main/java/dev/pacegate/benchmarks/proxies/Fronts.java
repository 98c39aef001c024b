package dev.pacegate.benchmarks.proxies;

import dev.pacegate.benchmarks.Text;
import dev.pacegate.benchmarks.servers.Launcher;
import dev.pacegate.benchmarks.servers.Server;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Starts what is measured, and tells what that was. */
final class Fronts {

  private final Path folder;
  private final Map<String, String> versions = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private int started;

  /**
   * @param folder for the folders of the servers
   */
  Fronts(Path folder) {
    this.folder = folder.toAbsolutePath();
  }

  /** Starts one in a folder of its own, which is empty. */
  Server start(Launcher launcher) throws IOException, InterruptedException {
    return start(launcher, newFolder());
  }

  Server start(Launcher launcher, Path own) throws IOException, InterruptedException {
    Server server = launcher.launch(own);
    versions.putAll(server.versions());
    return server;
  }

  Path newFolder() throws IOException {
    Files.createDirectories(folder);
    return Files.createTempDirectory(folder, "server" + started++ + "-");
  }

  /** Writes who made the page, and on what. */
  void head(Text text, String command) {
    var system = ManagementFactory.getOperatingSystemMXBean();
    text.lines(
        "",
        "Made by `" + command + "`. Versions, as the programs tell them: " + told() + ".",
        Text.format(
            "Machine: %d processors, which also carried the clients and the upstream; %s %s, Java %s;"
                + " load average at the end %.1f.",
            system.getAvailableProcessors(),
            system.getName(),
            system.getArch(),
            Runtime.version(),
            system.getSystemLoadAverage()));
  }

  /**
   * Writes the page.
   *
   * @param quick whether all was short, and proves nothing
   * @throws IllegalStateException if something that must hold does not
   */
  static void write(Text page, Path file, boolean quick) throws IOException {
    Files.writeString(file, page.toString());
    System.out.println(page);
    if (page.failed() > 0 && !quick) {
      throw new IllegalStateException("something that must hold does not: see " + file);
    }
  }

  private String told() {
    return versions.entrySet().stream()
        .map(one -> one.getKey() + " " + one.getValue())
        .collect(Collectors.joining(", "));
  }
}
