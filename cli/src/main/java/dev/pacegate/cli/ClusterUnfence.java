package dev.pacegate.cli;

import dev.pacegate.redis.Operations;
import dev.pacegate.redis.SharedLimitStatus;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate cluster unfence}. */
final class ClusterUnfence implements Callable<Integer> {

  private final World world;

  private final StoreServer server = new StoreServer();
  private final KeySecret secret = new KeySecret();
  private String name = "";
  private String why = "";

  private ClusterUnfence(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var unfence = new ClusterUnfence(world);
    CommandSpec spec =
        CommandOptions.command(
            unfence,
            "unfence",
            "Ends a fence early. Only if nothing was sent that the other side may yet count:"
                + " otherwise it may count up to twice the limit. The reason is kept.",
            "",
            Status.AT_A_STORE);
    new CommandOptions(spec)
        .group(unfence.secret)
        .required(0, "NAME", "the name of the limit", text -> unfence.name = text)
        .required(
            "--why", "TEXT", "why it is certain that nothing was sent", text -> unfence.why = text)
        .group(unfence.server);
    return spec;
  }

  @Override
  public Integer call() throws Failure {
    return ClusterAction.at(server, secret, world, this::unfence);
  }

  private void unfence(Operations operations) throws Failure {
    SharedLimitStatus before = ClusterAction.status(operations, name);
    String fence = fence(before);
    if (!fence.isEmpty()) {
      operations.unfence(name, why);
    }
    String done = fence.isEmpty() ? "there is no fence" : fence + " is over, as " + why;
    new Output(world.out()).write(name + ": " + done + "\n");
  }

  private static String fence(SharedLimitStatus status) {
    if (!status.doubt().isEmpty()) {
      return "the fence of "
          + StatusTable.span(status.longestFence())
          + " that the next call would have begun";
    }
    return status.fence().isZero()
        ? ""
        : "the fence that would have lasted for " + StatusTable.span(status.fence()) + " more";
  }
}
