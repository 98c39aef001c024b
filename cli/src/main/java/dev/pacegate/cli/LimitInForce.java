package dev.pacegate.cli;

import dev.pacegate.limit.Bucket;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Spacing;
import dev.pacegate.limit.Starts;
import dev.pacegate.limit.Window;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The limit that processes share now, which says what {@code 20/1s} means as the next one. The
 * commands that share a limit take {@code 20/1s} for {@code peer(20/1s)}, programs for starts; so
 * neither can be assumed.
 */
final class LimitInForce {

  private static final Limit ANY = Limits.parse("1/1s");

  private final List<Limit> terms;

  LimitInForce(String text) {
    this.terms = Limits.parse(text).terms();
  }

  /**
   * Returns the limit that follows. A term that does not state how it counts does so as the terms
   * in force do, those of its own measure if there are any.
   *
   * @throws Failure if these do not agree, or there are none
   */
  Limit next(Limit next) throws Failure {
    var meant = new ArrayList<Limit>();
    for (Limit term : next.terms()) {
      meant.add(statesHow(term) ? term : next(term, meanings(term)));
    }
    return meant.stream().reduce(Limit::and).orElseThrow();
  }

  private Limit next(Limit term, Set<Limit> meanings) throws Failure {
    if (meanings.size() != 1) {
      String now = String.join(" & ", terms.stream().map(Limit::toString).toList());
      throw new Failure(
          "the limit in force, "
              + now
              + ", does not tell what "
              + term
              + " counts: write starts("
              + term
              + ") or peer("
              + term
              + ")");
    }
    return of(meanings.iterator().next(), term);
  }

  /** Returns each way to count that is in force, as a limit that counts so. */
  private Set<Limit> meanings(Limit next) {
    var all = new HashSet<Limit>();
    var ofTheMeasure = new HashSet<Limit>();
    for (Limit term : terms) {
      if (term instanceof Peer || term instanceof Starts || !statesHow(term)) {
        Limit meaning = of(term, ANY);
        all.add(meaning);
        if (measure(term).equals(measure(next))) {
          ofTheMeasure.add(meaning);
        }
      }
    }
    return ofTheMeasure.isEmpty() ? all : ofTheMeasure;
  }

  /** Returns a limit that counts as another does. */
  private static Limit of(Limit meaning, Limit limit) {
    return meaning instanceof Peer peer
        ? new Peer(
            limit,
            peer.unansweredNanos(),
            peer.counted(),
            peer.byHeaders() && isOfRequests(limit),
            peer.abandonNanos(),
            peer.margin(),
            peer.spent())
        : limit;
  }

  private static boolean isOfRequests(Limit limit) {
    return limit instanceof Window window && window.of().equals(Measure.PLAIN);
  }

  private static boolean statesHow(Limit term) {
    return !(term instanceof Window || term instanceof Bucket || term instanceof Spacing);
  }

  private static Measure measure(Limit term) {
    return term.promises().get(0).of();
  }
}
