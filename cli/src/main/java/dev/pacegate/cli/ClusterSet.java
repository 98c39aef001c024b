package dev.pacegate.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code pacegate cluster set}. */
@Command(name = "set", description = "Puts another limit in force, in all processes that share it.")
final class ClusterSet implements Callable<Integer> {

  private final World world;

  @Mixin private final StoreServer server = new StoreServer();
  @Mixin private final KeySecret secret = new KeySecret();

  @Parameters(index = "0", paramLabel = "NAME", description = "the name of the limit")
  private String name = "";

  @Parameters(
      index = "1",
      paramLabel = "LIMIT",
      description =
          "the next limit, as in a program: 20/1s counts starts, peer(20/1s) counts as the other side"
              + " does")
  private String limit = "";

  @Option(names = "--why", paramLabel = "TEXT", description = "the reason, which status shows")
  private String why = "";

  ClusterSet(World world) {
    this.world = world;
  }

  @Override
  public Integer call() throws Failure {
    var next = LimitArgument.parse(limit);
    return ClusterAction.at(
        server, secret, world, operations -> operations.setLimit(name, next, why));
  }
}
