package dev.pacegate.cli;

import dev.pacegate.limit.Limit;
import dev.pacegate.redis.Operations;
import dev.pacegate.redis.SharedLimitStatus;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate cluster set}. */
final class ClusterSet implements Callable<Integer> {

  private final World world;

  private final StoreServer server = new StoreServer();
  private final KeySecret secret = new KeySecret();
  private String name = "";
  private String limit = "";
  private String why = "";

  private ClusterSet(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var set = new ClusterSet(world);
    CommandSpec spec =
        CommandOptions.command(
            set,
            "set",
            "Puts another limit in force, in all processes that share it, and prints what was in"
                + " force and what is now.",
            "",
            Status.AT_A_STORE);
    new CommandOptions(spec)
        .group(set.secret)
        .required(0, "NAME", "the name of the limit", text -> set.name = text)
        .required(
            1,
            "LIMIT",
            "the next limit. peer(20/1s) counts as the other side does, starts(20/1s) counts"
                + " starts; 20/1s counts as the limit in force does",
            text -> set.limit = text)
        .text("--why", "TEXT", "the reason, which status shows", text -> set.why = text)
        .group(set.server);
    return spec;
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
