package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The entry of a {@link Cost} that a limit counts: its plain amount, a named amount, or the call.
 *
 * @param entry the kind of entry
 * @param name the name of a named amount, null otherwise
 */
public record Measure(Entry entry, @Nullable String name) {

  /** The plain amount. */
  public static final Measure PLAIN = new Measure(Entry.PLAIN, null);

  /** The call itself, whatever it costs. */
  public static final Measure CALLS = new Measure(Entry.CALLS, null);

  /** The kinds of entries. */
  public enum Entry {
    /** The plain amount. */
    PLAIN,
    /** The call itself. */
    CALLS,
    /** An amount with a name. */
    NAMED
  }

  /** Checks that a named amount, and no other, has a name, and a valid one. */
  public Measure {
    requireNonNull(entry);
    if ((entry == Entry.NAMED) != (name != null)) {
      throw new IllegalArgumentException(
          "only a named amount has a name, and it needs one: " + name);
    }
    if (name != null && !isName(name)) {
      throw new IllegalArgumentException(
          "a name must be letters, digits, - and _, and begin with a letter: \"" + name + '"');
    }
  }

  /** Looks at each: a pattern would load all of regular expressions for the first limit. */
  private static boolean isName(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      boolean other = (c >= '0' && c <= '9') || c == '_' || c == '-';
      if (!letter && (i == 0 || !other)) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** Returns the measure that reads the amount of {@code name}. */
  public static Measure of(String name) {
    return new Measure(Entry.NAMED, requireNonNull(name));
  }

  /** Compares as a record does; written out, as the generated method would load many classes. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Measure that && entry == that.entry && Objects.equals(name, that.name);
  }

  @Override
  public int hashCode() {
    return 31 * entry.hashCode() + Objects.hashCode(name);
  }

  /**
   * Checks that this is an amount, not calls, which the text form of {@code limit} cannot express.
   */
  Measure checkAmount(String limit) {
    if (entry == Entry.CALLS) {
      throw new IllegalArgumentException(limit + " counts the plain or a named amount, not calls");
    }
    return this;
  }

  /** Returns the amount of this measure in {@code cost}. */
  public long of(Cost cost) {
    if (entry == Entry.PLAIN) {
      return cost.plain;
    }
    return name == null ? cost.calls : cost.amount(name);
  }

  /** Returns the average amount of this measure per request in the sum {@code cost}. */
  long each(Cost cost) {
    long all = of(cost);
    return cost.calls <= 1 || all == 0 ? all : (all - 1) / cost.calls + 1;
  }

  /** Returns a cost that has {@code amount} of this measure and nothing of any other. */
  public Cost cost(long amount) {
    return switch (entry) {
      case PLAIN -> Cost.sum(0, amount);
      case CALLS -> Cost.sum(amount, 0);
      case NAMED -> Cost.sum(0, 0).and(requireNonNull(name), amount);
    };
  }

  /** Returns for example {@code "the plain cost"}. */
  @Override
  public String toString() {
    return switch (entry) {
      case PLAIN -> "the plain cost";
      case CALLS -> "calls";
      case NAMED -> "the cost of " + name;
    };
  }

  /**
   * Returns {@code " of name"}, or an empty string if there is no name: as the grammar writes it.
   */
  String suffix() {
    return name == null ? "" : " of " + name;
  }
}
