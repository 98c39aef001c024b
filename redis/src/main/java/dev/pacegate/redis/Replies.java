package dev.pacegate.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a script answers that works on a record: what is said of the record, and then what is said
 * of each entry of the call.
 */
final class Replies {

  private static final int EPOCH = 0;
  private static final int REASON = 1;
  private static final int WHY = 2;
  private static final int REPLICAS = 3;
  private static final int OFFSETS = 4;
  private static final int COMMON = 5;

  private final List<?> fields;

  Replies(List<?> fields) {
    this.fields = fields;
  }

  /**
   * Returns the run of the server, if it asks for the address by which it was called, and has done
   * nothing else; null if not.
   */
  @Nullable String asks() {
    return fields.size() == 1 ? common(0) : null;
  }

  /** Returns the replicas that must confirm the call before it is relied upon. */
  List<String> replicas() {
    String names = common(REPLICAS);
    return names.isEmpty() ? List.of() : List.of(names.split(" "));
  }

  /** Returns how many entries are answered. */
  int size() {
    return fields.size() - COMMON;
  }

  /**
   * Returns the reply to an entry.
   *
   * @param terms how many terms the limit has that its client knows
   * @throws RedisCommandExecutionException if that entry alone failed, with the server's words
   */
  Reply of(int entry, int terms) {
    List<?> own = (List<?>) fields.get(COMMON + entry);
    if (own.size() == 1) {
      throw new RedisCommandExecutionException(own.get(0).toString());
    }
    return Reply.parse(
        common(EPOCH),
        common(REASON),
        common(WHY),
        replicas(),
        offsets(),
        own.stream().map(Object::toString).toList(),
        terms);
  }

  private List<Long> offsets() {
    String field = common(OFFSETS);
    return field.isEmpty()
        ? List.of()
        : Arrays.stream(field.split(" ")).map(Long::valueOf).toList();
  }

  private String common(int index) {
    return fields.get(index).toString();
  }

  @Override
  public String toString() {
    return fields.toString();
  }
}
