package dev.pacegate.cli;

import dev.pacegate.redis.Operations;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate cluster status}. */
final class ClusterStatus implements Callable<Integer> {

  private final World world;

  private final StoreServer server = new StoreServer();
  private List<String> names = List.of();

  private ClusterStatus(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var status = new ClusterStatus(world);
    CommandSpec spec =
        CommandOptions.command(
            status,
            "status",
            "Prints what the store knows of shared limits: what is spent, the most at once since"
                + " the last fence, the processes that hold units or wait, fences, pauses, and what"
                + " was done to the limit.",
            "",
            Status.AT_A_STORE);
    new CommandOptions(spec)
        .parametersFrom(
            0,
            "NAME",
            "names of limits; all that the store knows unless given",
            texts -> status.names = texts)
        .group(status.server);
    return spec;
  }

  @Override
  public Integer call() throws Failure {
    return ClusterAction.at(
        server,
        world,
        operations -> {
          var table = new StatusTable(Width.of(world.environment()));
          for (String name : names.isEmpty() ? operations.names() : names) {
            add(table, operations, name);
          }
          new Output(world.out()).write(table.toString());
        });
  }

  /** A limit of another version of Pacegate cannot be read; the others can. */
  private static void add(StatusTable table, Operations operations, String name) throws Failure {
    try {
      table.add(
          operations
              .status(name)
              .orElseThrow(() -> new Failure("the store does not know the name " + name)));
    } catch (RedisCommandExecutionException unreadable) {
      table.say(name + ": " + ClusterAction.reason(unreadable));
    }
  }
}
