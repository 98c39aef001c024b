package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Decides by the headers whether an answer is a refusal where the status leaves it open. 403 is one
 * if a wait is stated or nothing is left, 503 and 529 only if nothing is left: an overloaded peer
 * states a wait, too. A header that names a limit as the reason makes each of them one, and AWS's
 * also 400.
 */
final class Evidence implements HeaderFormat {

  private static final String STRIPE_REASON = "Stripe-Rate-Limited-Reason";

  /** It names the limit of all routes as the reason, if it is true. */
  private static final String GLOBAL = "X-RateLimit-Global";

  private static final List<String> REASONS =
      List.of("RateLimit-Reason", STRIPE_REASON, "X-RateLimit-Scope");

  /** They announce or explain, and say nothing of what is left. */
  private static final List<String> REMARKS =
      List.of(
          "RateLimit-Name",
          "X-RateLimit-Name",
          "X-RateLimit-NearLimit",
          "X-RateLimit-Resource",
          "X-RateLimit-Bucket",
          "X-RateLimit-Tokens-Query-Cost",
          "X-Rate-Limit-Problem",
          "X-Rate-Limit-Type",
          GLOBAL);

  private static final Set<String> UNDERSTOOD = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

  static {
    UNDERSTOOD.addAll(REMARKS);
    UNDERSTOOD.addAll(REASONS);
  }

  private final List<HeaderFormat> formats;
  private final List<HeaderFormat> ofEveryAnswer;
  private final List<HeaderFormat> resetWhenFull;
  private final NameBeginnings beginnings;

  /**
   * @param resetWhenFull formats whose reset is when all is available again: it counts only for a
   *     refusal that says no better when to come again
   */
  Evidence(List<HeaderFormat> formats, List<HeaderFormat> resetWhenFull) {
    this.formats = formats;
    this.ofEveryAnswer = formats.stream().filter(format -> format.beginnings().isEmpty()).toList();
    this.resetWhenFull = resetWhenFull;
    this.beginnings =
        new NameBeginnings(
            Stream.of(formats, resetWhenFull)
                .flatMap(List::stream)
                .flatMap(format -> format.beginnings().stream())
                .toList());
  }

  /** Most answers say nothing of a limit: one pass over their headers tells. */
  @Override
  public PeerAnswer read(Reading reading) {
    reading.understood(UNDERSTOOD);
    if (!beginnings.isAmong(reading.answer().headers().keySet())) {
      PeerAnswer said = all(ofEveryAnswer, reading);
      return said.withVerdict(verdict(reading, said));
    }
    PeerAnswer said = all(formats, reading);
    PeerAnswer whenFull = all(resetWhenFull, reading);
    PeerAnswer both = said.and(whenFull);
    PeerVerdict verdict = verdict(reading, both);
    boolean needsReset = verdict == PeerVerdict.REFUSED && both.retryAfter().isEmpty();
    return (needsReset ? both : said.and(withoutResets(whenFull))).withVerdict(verdict);
  }

  /** Returns what all of the formats read. */
  static PeerAnswer all(List<HeaderFormat> formats, Reading reading) {
    PeerAnswer said = PeerAnswer.NOTHING;
    for (HeaderFormat format : formats) {
      said = said.and(format.read(reading));
    }
    return said;
  }

  private static PeerAnswer withoutResets(PeerAnswer said) {
    return said.withQuotas(said.quotas().stream().map(Quotas::withoutReset).toList());
  }

  private static PeerVerdict verdict(Reading reading, PeerAnswer said) {
    return switch (reading.answer().status()) {
      case 403 ->
          namesALimit(reading, said) || said.retryAfter().isPresent()
              ? PeerVerdict.REFUSED
              : said.verdict();
      case 400 -> AmazonErrors.throttles(reading) ? PeerVerdict.REFUSED : said.verdict();
      case 503, 529 -> namesALimit(reading, said) ? PeerVerdict.REFUSED : said.verdict();
      case 429 -> isLockOfStripe(reading) ? PeerVerdict.OVERLOADED : said.verdict();
      default -> said.verdict();
    };
  }

  private static boolean namesALimit(Reading reading, PeerAnswer said) {
    return REASONS.stream().anyMatch(reason -> isPresent(reading, reason))
        || reading.texts(GLOBAL).stream().anyMatch(Evidence::isTrue)
        || AmazonErrors.throttles(reading)
        || said.quotas().stream().anyMatch(Quotas::isSpent);
  }

  /** Stripe gives the reason of each refusal; without one an object is locked. */
  private static boolean isLockOfStripe(Reading reading) {
    return isPresent(reading, "Stripe-Version") && !isPresent(reading, STRIPE_REASON);
  }

  private static boolean isTrue(String text) {
    return text.trim().equalsIgnoreCase("true");
  }

  private static boolean isPresent(Reading reading, String header) {
    return !reading.texts(header).isEmpty();
  }
}
