package dev.pacegate.cli;

import dev.pacegate.redis.Operations;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;

/** {@code pacegate cluster status}. */
@Command(
    name = "status",
    description =
        "Prints what the store knows of shared limits: what is spent, the most at once since the"
            + " last fence, the processes that hold units or wait, fences, pauses, and what was done"
            + " to the limit.",
    footer = {"", Status.AT_A_STORE})
final class ClusterStatus implements Callable<Integer> {

  private final World world;

  private final StoreServer server = new StoreServer();

  @Parameters(
      paramLabel = "NAME",
      arity = "0..*",
      description = "names of limits; all that the store knows unless given")
  private List<String> names = List.of();

  private ClusterStatus(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var status = new ClusterStatus(world);
    return CommandOptions.annotated(status, status.server);
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
