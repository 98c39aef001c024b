package dev.pacegate.cli;

import dev.pacegate.redis.Operations;
import dev.pacegate.redis.SharedLimitStatus;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate cluster forget}. */
final class ClusterForget implements Callable<Integer> {

  private final World world;

  private final StoreServer server = new StoreServer();
  private final KeySecret secret = new KeySecret();
  private List<String> words = List.of();
  private boolean all;
  private String why = "";

  private ClusterForget(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var forget = new ClusterForget(world);
    CommandSpec spec =
        CommandOptions.command(
            forget,
            "forget",
            "Forgets a replica that is gone for good: it need not confirm permits any more. It must"
                + " never take over with the data that it has: otherwise the other side may count"
                + " up to twice the limit. The reason is kept.",
            "",
            Status.AT_A_STORE);
    new CommandOptions(spec)
        .group(forget.secret)
        .parameters(
            "1..2",
            "[NAME] REPLICA",
            "the name of the limit, unless --all is given, and the replica's address, as status"
                + " shows it, such as 10.0.0.2:6379",
            texts -> forget.words = texts)
        .flag("--all", "for all limits that name the replica", is -> forget.all = is)
        .required(
            "--why",
            "TEXT",
            "why it is certain that the replica will not take over",
            text -> forget.why = text)
        .group(forget.server);
    return spec;
  }

  @Override
  public Integer call() throws Failure {
    if (words.size() != (all ? 1 : 2)) {
      throw new Failure(
          "give the name of a limit and the address of the replica; --all in place of the name is"
              + " for all limits");
    }
    return ClusterAction.at(
        server,
        secret,
        world,
        all
            ? operations -> forgetAll(operations, words.get(0))
            : operations -> say(forget(operations, words.get(0), words.get(1))));
  }

  private String forget(Operations operations, String name, String replica) throws Failure {
    operations.forgetReplica(name, replica, why);
    SharedLimitStatus after = ClusterAction.status(operations, name);
    String left =
        after.replicas().isEmpty()
            ? "no replica confirms permits now"
            : StatusTable.replicas(after);
    return name + ": " + replica + " is forgotten, as " + why + "; " + left + "\n";
  }

  /** One that cannot be done does not keep the others from it. */
  private void forgetAll(Operations operations, String replica) throws Failure {
    var done = new ArrayList<String>();
    var left = new ArrayList<String>();
    for (String name : operations.names()) {
      try {
        if (names(operations, name, replica)) {
          done.add(forget(operations, name, replica));
        }
      } catch (RedisCommandExecutionException e) {
        left.add(name + ": " + ClusterAction.reason(e));
      } catch (RedisException | IllegalArgumentException e) {
        left.add(name + ": " + e.getMessage());
      }
    }
    say(String.join("", done));
    if (!left.isEmpty()) {
      throw new Failure("not of all limits: " + String.join("; ", left));
    } else if (done.isEmpty()) {
      throw new Failure("no limit has the replica " + replica);
    }
  }

  private static boolean names(Operations operations, String name, String replica) {
    return operations
        .status(name)
        .filter(status -> status.replicas().contains(replica))
        .isPresent();
  }

  private void say(String words) throws Failure {
    new Output(world.out()).write(words);
  }
}
