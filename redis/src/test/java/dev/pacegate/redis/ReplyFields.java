package dev.pacegate.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * What a script answers, field by field: the limit in force, and else nothing. No fence and no
 * pause is left, no replica must confirm, and no unit is granted.
 */
final class ReplyFields {

  private final String limit;
  private long clock = 1;
  private String epoch = "1";
  private String reason = "";
  private String revision = "1";
  private boolean own;
  private List<String> replicas = List.of();
  private final List<String> grants = new ArrayList<>();

  private ReplyFields(String limit) {
    this.limit = limit;
  }

  static ReplyFields of(String limit) {
    return new ReplyFields(limit);
  }

  /** The script ran at that instant of the store's clock, in microseconds. */
  ReplyFields at(long micros) {
    clock = micros;
    return this;
  }

  /** That epoch is in force, for a reason. */
  ReplyFields epoch(String epoch, String reason) {
    this.epoch = epoch;
    this.reason = reason;
    return this;
  }

  ReplyFields revision(String revision) {
    this.revision = revision;
    return this;
  }

  /** Whether the limit is that of one key. */
  ReplyFields own(boolean own) {
    this.own = own;
    return this;
  }

  /** These must confirm. */
  ReplyFields replicas(List<String> names) {
    replicas = names;
    return this;
  }

  /** So many units of the one term may be used from now on, for so many microseconds. */
  ReplyFields grant(long units, long use) {
    grants.add(Long.toString(clock));
    grants.add(Long.toString(clock + use));
    grants.add(Long.toString(units));
    return this;
  }

  /** Returns the reply to a call of one entry. */
  List<Object> toReply() {
    return toReply(List.of(toEntry()));
  }

  /** Returns the reply to a call of several, each of which is answered so or fails. */
  List<Object> toReply(List<List<Object>> entries) {
    var reply = new ArrayList<Object>(List.of(epoch, reason, "", String.join(" ", replicas), ""));
    reply.addAll(entries);
    return List.copyOf(reply);
  }

  /** Returns what is answered to one entry. */
  List<Object> toEntry() {
    var entry = new ArrayList<Object>();
    entry.add(Long.toString(clock));
    entry.add(revision);
    entry.add(limit);
    entry.add(own ? "1" : "");
    entry.add("0"); // no fence
    entry.add("0"); // no pause
    entry.add("0"); // nothing to come back for
    entry.addAll(grants);
    return List.copyOf(entry);
  }
}
