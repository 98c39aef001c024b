package dev.pacegate.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code pacegate cluster}: looks at limits that processes share, and changes them. */
@Command(
    name = "cluster",
    description = "Looks at limits that processes share through Redis, and changes them for all.",
    synopsisSubcommandLabel = "COMMAND")
final class Cluster implements Runnable {

  @Spec private CommandSpec spec = CommandSpec.create();

  private Cluster() {}

  static CommandLine command(World world) {
    var command = new CommandLine(new Cluster());
    for (Object sub :
        List.of(
            new ClusterStatus(world),
            new ClusterSet(world),
            new ClusterPause(world),
            new ClusterUnfence(world),
            new ClusterForget(world),
            new ClusterDemo(world))) {
      command.addSubcommand(sub);
    }
    command
        .getSubcommands()
        .values()
        .forEach(
            sub ->
                sub.getCommandSpec()
                    .mixinStandardHelpOptions(true)
                    .versionProvider(new Main.Version()));
    return command;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "No command is given");
  }
}
