package dev.pacegate.redis.contest;

import java.time.Duration;

/**
 * What a worker is told on its command line.
 *
 * @param redis the server's URI
 * @param name the name of the limit, the same for all that share it
 * @param most how many requests may be sent
 * @param interval in an interval of that length
 * @param peerPort where requests go
 * @param sender the worker's number
 * @param threads how many threads send
 * @param duration for how long they send
 * @param variant what a contender can do in more than one way, or "" for the usual one
 */
record Load(
    String redis,
    String name,
    int most,
    Duration interval,
    int peerPort,
    int sender,
    int threads,
    Duration duration,
    String variant) {

  Load withSender(int sender) {
    return new Load(redis, name, most, interval, peerPort, sender, threads, duration, variant);
  }

  String[] toArguments() {
    return new String[] {
      redis,
      name,
      Integer.toString(most),
      interval.toString(),
      Integer.toString(peerPort),
      Integer.toString(sender),
      Integer.toString(threads),
      duration.toString(),
      variant
    };
  }

  static Load ofArguments(String... args) {
    return new Load(
        args[0],
        args[1],
        Integer.parseInt(args[2]),
        Duration.parse(args[3]),
        Integer.parseInt(args[4]),
        Integer.parseInt(args[5]),
        Integer.parseInt(args[6]),
        Duration.parse(args[7]),
        args[8]);
  }
}
