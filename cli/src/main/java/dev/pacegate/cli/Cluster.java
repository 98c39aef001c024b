package dev.pacegate.cli;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** {@code pacegate cluster}: looks at limits that processes share, and changes them. */
final class Cluster implements Runnable {

  private final CommandSpec spec =
      CommandOptions.command(
          this,
          "cluster",
          "Looks at limits that processes share through Redis, and changes them for all.",
          "",
          Status.AT_A_STORE);

  private Cluster() {}

  static CommandSpec command(World world) {
    CommandSpec spec = new Cluster().spec;
    spec.usageMessage().synopsisSubcommandLabel("COMMAND");
    for (CommandSpec sub :
        List.of(
            ClusterStatus.command(world),
            ClusterSet.command(world),
            ClusterPause.command(world),
            ClusterUnfence.command(world),
            ClusterForget.command(world),
            ClusterDemo.command(world))) {
      CommandOptions.addHelp(sub);
      spec.addSubcommand(sub.name(), sub);
    }
    return spec;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "No command is given");
  }
}
