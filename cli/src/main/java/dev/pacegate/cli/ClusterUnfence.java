package dev.pacegate.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code pacegate cluster unfence}. */
@Command(
    name = "unfence",
    description =
        "Ends a fence early. Only if nothing was sent that the other side may yet count: otherwise"
            + " it may count up to twice the limit. The reason is kept.")
final class ClusterUnfence implements Callable<Integer> {

  private final World world;

  @Mixin private final StoreServer server = new StoreServer();
  @Mixin private final KeySecret secret = new KeySecret();

  @Parameters(index = "0", paramLabel = "NAME", description = "the name of the limit")
  private String name = "";

  @Option(
      names = "--why",
      paramLabel = "TEXT",
      required = true,
      description = "why it is certain that nothing was sent")
  private String why = "";

  ClusterUnfence(World world) {
    this.world = world;
  }

  @Override
  public Integer call() throws Failure {
    return ClusterAction.at(server, secret, world, operations -> operations.unfence(name, why));
  }
}
