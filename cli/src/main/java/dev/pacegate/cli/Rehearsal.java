package dev.pacegate.cli;

import java.util.List;

/**
 * Runs once what is to start fast, so that the JVM notes which classes it takes. Run when the
 * program is linked.
 */
final class Rehearsal {

  private Rehearsal() {}

  /** Runs the commands on the lines of the file that is given. */
  public static void main(String[] arguments) {
    String lines = arguments[0];
    List<String[]> commands =
        List.of(
            new String[] {"pipe", "--report", "peer(5/1s) & bucket(9/1s)", lines},
            new String[] {"pipe", "unlimited", lines},
            new String[] {"run", "starts(5/1s) & spacing(1ms)", "-a", lines, "--", "true"});
    for (String[] command : commands) {
      if (Main.run(World.real(), command) != Status.OK) {
        System.exit(Status.BAD);
      }
    }
  }
}
