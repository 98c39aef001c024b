package dev.pacegate.cli;

import dev.pacegate.limit.Limit;
import dev.pacegate.redis.Operations;
import dev.pacegate.redis.SharedLimitStatus;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code pacegate cluster set}. */
@Command(
    name = "set",
    description =
        "Puts another limit in force, in all processes that share it, and prints what was in force"
            + " and what is now.",
    footer = {"", Status.AT_A_STORE})
final class ClusterSet implements Callable<Integer> {

  private final World world;

  private final StoreServer server = new StoreServer();
  @Mixin private final KeySecret secret = new KeySecret();

  @Parameters(index = "0", paramLabel = "NAME", description = "the name of the limit")
  private String name = "";

  @Parameters(
      index = "1",
      paramLabel = "LIMIT",
      description =
          "the next limit. peer(20/1s) counts as the other side does, starts(20/1s) counts starts;"
              + " 20/1s counts as the limit in force does")
  private String limit = "";

  @Option(names = "--why", paramLabel = "TEXT", description = "the reason, which status shows")
  private String why = "";

  private ClusterSet(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var set = new ClusterSet(world);
    return CommandOptions.annotated(set, set.server);
  }

  @Override
  public Integer call() throws Failure {
    var given = LimitArgument.parse(limit);
    return ClusterAction.at(server, secret, world, operations -> set(operations, given));
  }

  private void set(Operations operations, Limit given) throws Failure {
    SharedLimitStatus before = ClusterAction.status(operations, name);
    operations.setLimit(name, new LimitInForce(before.limit()).next(given), why);
    SharedLimitStatus after = ClusterAction.status(operations, name);
    new Output(world.out())
        .write(
            name
                + ": the limit was "
                + before.limit()
                + ", and is now "
                + after.limit()
                + (after.hasKeys() ? " for each key" : "")
                + "\n");
  }
}
