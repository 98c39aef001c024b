package dev.pacegate;

import dev.pacegate.limit.Bucket;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Rate;
import dev.pacegate.limit.Spacing;
import dev.pacegate.limit.Window;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What may be wrong with a limit under which the peer has refused a request, and what to write
 * instead. It asks the limit's promises, not its kind.
 */
final class RefusalAdvice {

  private static final String EXAMPLE = "peer(10/1m)";

  /** An example, too: few peers take longer to count what has arrived. */
  private static final Duration ARRIVAL = Duration.ofSeconds(2);

  private final Limit limit;

  RefusalAdvice(Limit limit) {
    this.limit = limit;
  }

  /** Returns the limit to write instead, which the grammar reads; empty if there is none. */
  Optional<Limit> instead() {
    try {
      Limit better = better();
      return better != null && !better.equals(limit) && isWritten(better)
          ? Optional.of(better)
          : Optional.empty();
    } catch (IllegalArgumentException unknown) { // to the grammar, or out of its ranges
      return Optional.empty();
    }
  }

  private static boolean isWritten(Limit better) {
    return Limits.parse(better.toString()).equals(better);
  }

  private @Nullable Limit better() {
    if (!statesRate()) {
      Limit rate = Limits.parse(EXAMPLE);
      return limit.promises().isEmpty() ? rate : limit.and(rate);
    }
    if (countsStarts()) {
      return coveringDelays();
    }
    return Limits.parse(limit.toString().replaceAll(", counted=\\w+", ""));
  }

  String text() {
    Optional<Limit> instead = instead();
    if (!statesRate()) {
      String write = limit.promises().isEmpty() ? ": write" : ": add";
      return "the limit states no rate"
          + instead.map(better -> write + " the peer's, as in " + better).orElse("");
    }
    if (countsStarts()) {
      return "a limit of starts does not cover delays on the way"
          + instead.map(better -> ": write " + better + unlessCounted(better)).orElse("");
    }
    return "another client uses this key, or the peer's limit is not "
        + limit
        + instead.map(better -> ", or it counts later than that says: write " + better).orElse("");
  }

  /** A limit that counts until the answer is slower; a peer that counts on arrival needs none. */
  private static String unlessCounted(Limit better) {
    return better instanceof Peer peer
        ? ", or if the peer counts a request within 2s of its start, " + peer.counted(ARRIVAL)
        : "";
  }

  private boolean statesRate() {
    return limit.promises().stream().anyMatch(promise -> promise.interval() > 0);
  }

  private boolean countsStarts() {
    return !limit.promises().stream().allMatch(Promise::countsWhole);
  }

  /** Returns a limit of the same numbers that holds wherever the peer counts a request. */
  private @Nullable Limit coveringDelays() {
    Limit all = null;
    for (Limit term : limit.terms()) {
      for (Promise promise : term.promises()) {
        Limit covering = promise.countsWhole() ? term : covering(promise);
        if (covering == null) {
          return null; // a promise of a user's own
        }
        all = all == null ? covering : all.and(covering);
      }
    }
    return all;
  }

  private static @Nullable Limit covering(Promise promise) {
    Limit counted = null;
    if (promise instanceof Promise.AtMost most) {
      counted = new Window(new Rate(most.max(), most.nanos()), most.of());
    } else if (promise instanceof Promise.PerWindow most) {
      counted = new Window(new Rate(most.max(), most.nanos()), most.of());
    } else if (promise instanceof Promise.Refilled level) {
      counted = bucket(level);
    } else if (promise instanceof Promise.Gap gap) {
      counted = new Spacing(gap.nanos());
    }
    return counted == null ? null : Limits.peer(counted);
  }

  private static Limit bucket(Promise.Refilled level) {
    return new Bucket(
        level.rate(), level.burst(), 0, 0, Bucket.Initial.USUAL, Bucket.Oversize.WAIT, level.of());
  }
}
