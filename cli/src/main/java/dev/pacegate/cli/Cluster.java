package dev.pacegate.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code pacegate cluster}: looks at limits that processes share, and changes them. */
@Command(
    name = "cluster",
    description = "Looks at limits that processes share through Redis, and changes them for all.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", Status.AT_A_STORE})
final class Cluster implements Runnable {

  @Spec private CommandSpec spec = CommandSpec.create();

  private Cluster() {}

  static CommandSpec command(World world) {
    CommandSpec spec = CommandOptions.annotated(new Cluster());
    for (CommandSpec sub :
        List.of(
            ClusterStatus.command(world),
            ClusterSet.command(world),
            ClusterPause.command(world),
            ClusterUnfence.command(world),
            ClusterForget.command(world),
            CommandOptions.annotated(new ClusterDemo(world)))) {
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
