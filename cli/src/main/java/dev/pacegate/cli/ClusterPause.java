package dev.pacegate.cli;

import dev.pacegate.redis.Operations;
import dev.pacegate.redis.SharedLimitStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate cluster pause}. */
final class ClusterPause implements Callable<Integer> {

  private static final Duration UNTIL_IT_IS_ENDED = Duration.ofDays(36_500);

  private final World world;

  private final StoreServer server = new StoreServer();
  private final KeySecret secret = new KeySecret();
  private String name = "";
  private @Nullable Duration length;
  private boolean end;
  private String why = "";

  private ClusterPause(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var pause = new ClusterPause(world);
    CommandSpec spec =
        CommandOptions.command(
            pause,
            "pause",
            "Lets nothing through in all processes that share a limit, until --end or for the time"
                + " of --for. What is leased already may be used for up to four seconds.",
            "",
            Status.AT_A_STORE);
    new CommandOptions(spec)
        .group(pause.secret)
        .required(0, "NAME", "the name of the limit", text -> pause.name = text)
        .span(
            "--for",
            "DURATION",
            "for how long, such as 10m; until it is ended unless given",
            span -> pause.length = span)
        .flag("--end", "end the pause", is -> pause.end = is)
        .text(
            "--why",
            "TEXT",
            "the reason, which status and the logs of all processes show",
            text -> pause.why = text)
        .group(pause.server);
    return spec;
  }

  @Override
  public Integer call() throws Failure {
    if (end && length != null) {
      throw new Failure("--end and --for exclude each other");
    }
    return ClusterAction.at(server, secret, world, end ? this::end : this::pause);
  }

  private void pause(Operations operations) throws Failure {
    SharedLimitStatus before = ClusterAction.status(operations, name);
    operations.pause(name, length == null ? UNTIL_IT_IS_ENDED : length, why);
    SharedLimitStatus after = ClusterAction.status(operations, name);
    say((before.pause().isZero() ? "" : "was " + restOf(before) + "; is now ") + pauseOf(after));
  }

  private void end(Operations operations) throws Failure {
    SharedLimitStatus before = ClusterAction.status(operations, name);
    if (before.pause().isZero()) {
      say("there is no pause");
    } else {
      operations.resume(name, why);
      say("was " + restOf(before) + "; the pause is over");
    }
  }

  /** How long it had been paused is not known. */
  private String restOf(SharedLimitStatus status) {
    return pauseOf(status).replace("paused for ", "paused for another ");
  }

  private String pauseOf(SharedLimitStatus status) {
    String pause = StatusTable.pause(status);
    Instant end = world.time().instant().plus(status.pause()).truncatedTo(ChronoUnit.SECONDS);
    return StatusTable.isEndless(status) ? pause : pause + ", until " + end;
  }

  private void say(String words) throws Failure {
    new Output(world.out()).write(name + ": " + words + "\n");
  }
}
