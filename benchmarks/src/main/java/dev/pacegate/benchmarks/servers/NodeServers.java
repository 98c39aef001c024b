package dev.pacegate.benchmarks.servers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Servers that run on Node. */
public final class NodeServers {

  private final Path scripts;

  /**
   * @param scripts the folder of the scripts, where their packages are installed
   */
  public NodeServers(Path scripts) {
    this.scripts = scripts;
  }

  /** Returns what starts a script, which prints its port once it listens. */
  public Launcher script(String name, String... arguments) {
    var command = new ArrayList<>(List.of("node", scripts.resolve(name).toString()));
    command.addAll(List.of(arguments));
    return AnnouncedServer.launcher(command);
  }
}
