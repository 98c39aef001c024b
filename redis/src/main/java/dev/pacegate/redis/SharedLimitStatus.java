package dev.pacegate.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What a store knows of a shared limit, at one instant.
 *
 * @param name of the limit
 * @param limit the text of the limit in force
 * @param hasKeys whether each of many keys has this limit; terms and holders are not told then
 * @param fence what is left of a fence, in which nothing is granted; zero if there is none
 * @param reason why the last fence began
 * @param longestFence how long a fence of this limit is at most, by what is in force and what was
 *     just before; of keys, that of the longest limit that one ever had of its own
 * @param doubt why the next call will begin a fence, unless this server is a replica that goes on
 *     without one; empty if it will not
 * @param pause what is left of a pause; zero if there is none
 * @param why what was said of the pause
 * @param replicas the replicas that confirm what is granted: nothing is while one of them is away
 * @param terms the terms of the limit, in its order
 * @param holders the processes that hold units or wait for some
 * @param audit what was done to the limit lately, the latest last
 * @param tags what differs between the tags over which the keys are {@linkplain Spread spread}, in
 *     their order; empty if they are not. Above stands the limit of the first, the longest fence
 *     and pause, the first doubt and the replicas of all, and what was done to several at once is
 *     told once
 */
public record SharedLimitStatus(
    String name,
    String limit,
    boolean hasKeys,
    Duration fence,
    String reason,
    Duration longestFence,
    String doubt,
    Duration pause,
    String why,
    List<String> replicas,
    List<Term> terms,
    List<Holder> holders,
    List<Entry> audit,
    List<Tag> tags) {

  /**
   * One term of the limit.
   *
   * @param text the text of the term, such as {@code peer(10/1m)}
   * @param permits how many units it has
   * @param spent how many of them are leased, in use, or not yet back
   * @param most the most that were spent at once since the last fence began: no peer has counted
   *     more in an interval, or in a burst, or at once
   */
  public record Term(String text, long permits, long spent, long most) {}

  /**
   * A process.
   *
   * @param id of its part in the limit
   * @param label of the process; empty if it is not known any more
   * @param has how many units of each term it has leased, in use or not
   * @param wants how many units of each term it waits for
   */
  public record Holder(String id, String label, List<Long> has, List<Long> wants) {}

  /**
   * Something that was done to the limit.
   *
   * @param at when, by the store's clock
   * @param what such as {@code pause}
   * @param who the label of the process that did it
   * @param why what it said
   */
  public record Entry(Instant at, String what, String who, String why) {}

  /**
   * One of the tags over which keys are spread. Each has a fence and replicas of its own.
   *
   * @param number from 0 on
   * @param limit the text of its limit in force: that of the first, but for a moment after a change
   * @param fence what is left of a fence of its keys; zero if there is none
   * @param reason why its last fence began
   * @param doubt why the next call for one of its keys will begin a fence; empty if it will not
   * @param pause what is left of a pause; zero if there is none
   * @param replicas the replicas that confirm what is granted to its keys
   */
  public record Tag(
      int number,
      String limit,
      Duration fence,
      String reason,
      String doubt,
      Duration pause,
      List<String> replicas) {}
}
