package dev.pacegate.cli;

import dev.pacegate.redis.Operations;
import dev.pacegate.redis.SharedLimitStatus;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code pacegate cluster forget}. */
@Command(
    name = "forget",
    description =
        "Forgets a replica that is gone for good: it need not confirm permits any more. It must never"
            + " take over with the data that it has: otherwise the other side may count up to twice"
            + " the limit. The reason is kept.")
final class ClusterForget implements Callable<Integer> {

  private final World world;

  @Mixin private final StoreServer server = new StoreServer();
  @Mixin private final KeySecret secret = new KeySecret();

  @Parameters(index = "0", paramLabel = "NAME", description = "the name of the limit")
  private String name = "";

  @Parameters(
      index = "1",
      paramLabel = "REPLICA",
      description = "its address, as status shows it, such as 10.0.0.2:6379")
  private String replica = "";

  @Option(
      names = "--why",
      paramLabel = "TEXT",
      required = true,
      description = "why it is certain that the replica will not take over")
  private String why = "";

  ClusterForget(World world) {
    this.world = world;
  }

  @Override
  public Integer call() throws Failure {
    return ClusterAction.at(server, secret, world, this::forget);
  }

  private void forget(Operations operations) throws Failure {
    operations.forgetReplica(name, replica, why);
    SharedLimitStatus after = ClusterAction.status(operations, name);
    String left =
        after.replicas().isEmpty()
            ? "no replica confirms permits now"
            : StatusTable.replicas(after);
    new Output(world.out())
        .write(name + ": " + replica + " is forgotten, as " + why + "; " + left + "\n");
  }
}
