package dev.pacegate.redis;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server says of its replicas.
 *
 * @param count how many have what was written on the connection
 * @param by all that have confirmed anything lately, so that no other can be among them
 */
record Confirmation(long count, Set<String> by) {

  private static final Pattern REPLICA =
      Pattern.compile("slave\\d+:ip=([^,]*),port=(\\d+),state=online,offset=(?!0,)\\d+,lag=(\\d+)");

  private static final int LATELY = 1; // seconds, rounded down: longer than WAIT lasts

  /** Of the answers to {@code WAIT} and to the {@code INFO replication} right behind it. */
  static Confirmation of(long count, String replication) {
    var by = new HashSet<String>();
    Matcher replica = REPLICA.matcher(replication);
    while (replica.find()) {
      if (Long.parseLong(replica.group(3)) <= LATELY) {
        by.add(replica.group(1) + ":" + replica.group(2));
      }
    }
    return new Confirmation(count, by);
  }
}
