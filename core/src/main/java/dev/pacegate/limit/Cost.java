package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The cost of one request: one call, a plain amount, and any number of named amounts.
 *
 * <p>Each limit reads one entry: {@code 10/1m} the plain amount (1 unless stated), {@code 90000/1m
 * of tokens} the amount named {@code tokens} (0 unless stated), {@code concurrent(4)} and {@code
 * spacing(1s)} the call itself. No limit holds for an amount that none reads: a limiter {@linkplain
 * dev.pacegate.Limiter#requireCounted refuses} such a plain amount if it is above 1, and warns of
 * such a name, once.
 *
 * <p>Immutable. Sums saturate at {@link Long#MAX_VALUE}.
 */
@CheckReturnValue
public final class Cost {

  /**
   * One call of plain cost 1, charged if a request states no cost. {@link
   * dev.pacegate.Permit#settle(long) Settling} needs a permit that was asked for with a stated
   * cost, such as {@code acquire(1)}: this object counts as not stated. Limiters compare by
   * identity, so {@code Cost.of(1)}, which equals this object, counts as stated.
   */
  public static final Cost ONE = new Cost(1, 1, Map.of());

  /** Small costs, which many requests have: each is one object. That of 1 is not {@link #ONE}. */
  private static final Cost[] SMALL = new Cost[65];

  static {
    for (int amount = 0; amount < SMALL.length; amount++) {
      SMALL[amount] = new Cost(1, amount, Map.of());
    }
  }

  /** The sum of no requests: no call, no amount. */
  static final Cost NONE = new Cost(0, 0, Map.of());

  final long calls;
  final long plain;
  private final Map<String, Long> named;

  private Cost(long calls, long plain, Map<String, Long> named) {
    this.calls = calls;
    this.plain = plain;
    this.named = named;
  }

  /**
   * Returns one call of the given plain cost, never {@link #ONE} itself.
   *
   * @param amount 0 or more; a call that costs 0 still takes its turn
   * @throws IllegalArgumentException if {@code amount} is negative
   */
  public static Cost of(long amount) {
    return amount >= 0 && amount < SMALL.length
        ? SMALL[(int) amount]
        : new Cost(1, checked("cost", amount), Map.of());
  }

  /**
   * Returns one call of plain cost 1 that also costs {@code amount} of {@code name}.
   *
   * @throws IllegalArgumentException if {@code amount} is negative
   */
  public static Cost of(String name, long amount) {
    return ONE.and(name, amount);
  }

  /**
   * Returns the sum of {@code calls} requests of plain cost {@code amount} in all.
   *
   * @throws IllegalArgumentException if either is negative
   */
  public static Cost sum(long calls, long amount) {
    return new Cost(checked("calls", calls), checked("cost", amount), Map.of());
  }

  /** Returns the sum of no requests: no call, no amount. */
  public static Cost none() {
    return NONE;
  }

  /**
   * Returns this cost with {@code amount} of {@code name}, replacing its former amount of that
   * name.
   *
   * @throws IllegalArgumentException if {@code amount} is negative
   */
  public Cost and(String name, long amount) {
    var amounts = new TreeMap<>(named);
    amounts.put(requireNonNull(name), checked("cost of " + name, amount));
    return new Cost(calls, plain, amounts);
  }

  /**
   * Returns this cost with {@code amount} as its plain amount.
   *
   * @throws IllegalArgumentException if {@code amount} is negative
   */
  public Cost withAmount(long amount) {
    return named.isEmpty() && calls == 1
        ? of(amount)
        : new Cost(calls, checked("cost", amount), named);
  }

  /** Returns how many calls this is: 1 for a request, more for a sum of requests. */
  public long calls() {
    return calls;
  }

  /** Returns the plain amount. */
  public long amount() {
    return plain;
  }

  /** Returns the amount of {@code name}, 0 if none was stated. */
  public long amount(String name) {
    return named.isEmpty() ? 0 : named.getOrDefault(name, 0L);
  }

  /** Returns the names of the named amounts. */
  public Set<String> names() {
    return named.isEmpty() ? Set.of() : Collections.unmodifiableSet(named.keySet());
  }

  /** Returns the sum of both, entry by entry. */
  public Cost plus(Cost other) {
    if (isNone()) {
      return other;
    }
    if (other.isNone()) {
      return this;
    }
    return new Cost(
        Nanos.add(calls, other.calls), Nanos.add(plain, other.plain), sum(named, other.named));
  }

  private boolean isNone() {
    return calls == 0 && plain == 0 && named.isEmpty();
  }

  /**
   * Returns this sum without {@code part}, which must be one of its parts. A sum that {@linkplain
   * #isSaturated has saturated} cannot be taken apart.
   */
  public Cost minus(Cost part) {
    if (calls == part.calls) {
      return NONE;
    }
    var left = new TreeMap<>(named);
    part.named.forEach((name, amount) -> left.merge(name, -amount, Long::sum));
    left.values().removeIf(amount -> amount == 0);
    return new Cost(calls - part.calls, plain - part.plain, left.isEmpty() ? Map.of() : left);
  }

  /** Returns by how much this exceeds {@code other}, entry by entry, without the call itself. */
  public Cost beyond(Cost other) {
    var more = new TreeMap<String, Long>();
    named.forEach((name, amount) -> more.put(name, Math.max(0, amount - other.amount(name))));
    return new Cost(0, Math.max(0, plain - other.plain), more);
  }

  /** Returns whether an entry of this sum has reached {@link Long#MAX_VALUE}. */
  public boolean isSaturated() {
    return calls == Long.MAX_VALUE
        || plain == Long.MAX_VALUE
        || named.containsValue(Long.MAX_VALUE);
  }

  private static Map<String, Long> sum(Map<String, Long> a, Map<String, Long> b) {
    if (a.isEmpty() || b.isEmpty()) {
      return a.isEmpty() ? b : a;
    }
    var sum = new TreeMap<>(a);
    b.forEach((name, amount) -> sum.merge(name, amount, Nanos::add));
    return sum;
  }

  private static long checked(String what, long amount) {
    if (amount < 0) {
      throw new IllegalArgumentException(what + " must not be negative: " + amount);
    }
    return amount;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Cost that
        && calls == that.calls
        && plain == that.plain
        && named.equals(that.named);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Long.hashCode(calls) + Long.hashCode(plain)) + named.hashCode();
  }

  /** Returns for example {@code 1, 1500 of tokens}. */
  @Override
  public String toString() {
    var text = new StringBuilder().append(plain);
    for (var amount : named.entrySet()) {
      text.append(", ").append(amount.getValue()).append(" of ").append(amount.getKey());
    }
    return text.toString();
  }
}
