package dev.pacegate.cli;

import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the statuses of a command mean.
 *
 * @param lost those that leave open whether the request was counted
 * @param pauses those that mean that the peer refused, and for how long nothing is to be sent
 */
record StatusMeanings(Set<Integer> lost, Map<Integer, Duration> pauses) {

  /** Parses pauses such as {@code 75=30s}. */
  static Map<Integer, Duration> pauses(List<String> given) throws Failure {
    var pauses = new TreeMap<Integer, Duration>();
    for (String text : given) {
      int equals = text.indexOf('=');
      String status = text.substring(0, Math.max(0, equals));
      if (!status.matches("[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-4]")) {
        throw new Failure(
            "--pause-on takes STATUS=SPAN, such as 75=30s, with a status from 1 to 254: " + text);
      }
      try {
        Duration pause = Durations.parse(text.substring(equals + 1));
        if (pauses.put(Integer.parseInt(status), pause) != null) {
          throw new Failure("--pause-on has two pauses for status " + status);
        }
      } catch (IllegalArgumentException e) {
        throw new Failure("--pause-on " + text + ": " + e.getMessage());
      }
    }
    return pauses;
  }

  /** Returns for how long the peer must be left alone; null if it has not refused. */
  @Nullable Duration pause(int status) {
    return pauses.get(status);
  }
}
