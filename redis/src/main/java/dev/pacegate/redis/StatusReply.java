package dev.pacegate.redis;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.SharedLimitStatus.Entry;
import dev.pacegate.redis.SharedLimitStatus.Holder;
import dev.pacegate.redis.SharedLimitStatus.Term;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Reads the reply of {@code status.lua}. */
final class StatusReply {

  private final Iterator<String> fields;

  private StatusReply(List<String> fields) {
    this.fields = fields.iterator();
  }

  static SharedLimitStatus parse(String name, List<String> fields) {
    return new StatusReply(fields).status(name);
  }

  /** Returns the epoch that is in force; empty if the next call begins one. */
  static String believedEpoch(List<String> fields) {
    return fields.get(4).isEmpty() ? fields.get(1) : "";
  }

  /** Returns over how many tags the keys are spread; 1 if they are not, or there are none. */
  static int tags(List<String> fields) {
    String tags = fields.get(3);
    return tags.isEmpty() ? 1 : Integer.parseInt(tags);
  }

  private SharedLimitStatus status(String name) {
    fields.next(); // the clock
    fields.next(); // the epoch
    String limit = fields.next();
    boolean hasKeys = !fields.next().isEmpty();
    String doubt = fields.next();
    Duration fence = span();
    String reason = fields.next();
    Duration pause = span();
    String why = fields.next();
    Duration longestFence = span();
    List<String> replicas = texts();
    List<Term> terms = terms(limit);
    return new SharedLimitStatus(
        name,
        limit,
        hasKeys,
        fence,
        reason,
        longestFence,
        doubt,
        pause,
        why,
        replicas,
        terms,
        holders(terms.size()),
        audit(),
        List.of());
  }

  private List<String> texts() {
    var texts = new ArrayList<String>();
    for (long left = number(); left > 0; left--) {
      texts.add(fields.next());
    }
    return List.copyOf(texts);
  }

  private List<Term> terms(String limit) {
    List<Limit> texts = Limits.parse(limit).terms();
    var terms = new ArrayList<Term>();
    for (long left = number(); left > 0; left--) {
      terms.add(new Term(texts.get(terms.size()).toString(), number(), number(), number()));
    }
    return List.copyOf(terms);
  }

  private List<Holder> holders(int terms) {
    var holders = new ArrayList<Holder>();
    for (long left = number(); left > 0; left--) {
      String id = fields.next();
      String label = fields.next();
      var has = new ArrayList<Long>();
      var wants = new ArrayList<Long>();
      for (int i = 0; i < terms; i++) {
        has.add(number());
        wants.add(number());
      }
      holders.add(new Holder(id, label, List.copyOf(has), List.copyOf(wants)));
    }
    return List.copyOf(holders);
  }

  private List<Entry> audit() {
    var audit = new ArrayList<Entry>();
    while (fields.hasNext()) {
      Instant at = Instant.EPOCH.plus(number(), ChronoUnit.MICROS);
      audit.add(new Entry(at, fields.next(), fields.next(), fields.next()));
    }
    return List.copyOf(audit);
  }

  private Duration span() {
    return Duration.of(number(), ChronoUnit.MICROS);
  }

  private long number() {
    return Long.parseLong(fields.next());
  }
}
