package dev.pacegate.feedback;

import dev.pacegate.Quota;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Makes quotas from what headers state. */
final class Quotas {

  /** A quota of which nothing is known. */
  static final Quota NONE =
      new Quota(
          "",
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          Optional.empty(),
          Optional.empty(),
          "");

  private Quotas() {}

  /** Returns the quota; a limit of zero is none, and a reset at once or in the past neither. */
  static Quota of(
      String name,
      Optional<Long> limit,
      Optional<Long> remaining,
      Optional<Long> used,
      Optional<Duration> reset) {
    return new Quota(
        name,
        optional(limit.filter(most -> most > 0)),
        optional(remaining),
        optional(used),
        Optional.empty(),
        reset.filter(Quotas::isPositive),
        "");
  }

  static Quota withoutReset(Quota quota) {
    return new Quota(
        quota.name(),
        quota.limit(),
        quota.remaining(),
        quota.used(),
        quota.window(),
        Optional.empty(),
        quota.cost());
  }

  static OptionalLong optional(Optional<Long> amount) {
    return amount.isPresent() ? OptionalLong.of(amount.get()) : OptionalLong.empty();
  }

  static boolean isPositive(Duration span) {
    return span.compareTo(Duration.ZERO) > 0;
  }

  /** Returns whether nothing is left. */
  static boolean isSpent(Quota quota) {
    if (quota.remaining().isPresent()) {
      return quota.remaining().getAsLong() == 0;
    }
    return quota.used().isPresent()
        && quota.limit().isPresent()
        && quota.used().getAsLong() >= quota.limit().getAsLong();
  }

  /** Returns the name of the cost that a unit stands for. */
  static String cost(String unit) {
    return unit.equals("requests") ? "" : unit.replace('-', '_');
  }
}
