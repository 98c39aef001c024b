package dev.pacegate.feedback;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Backoff;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import java.time.Duration;
import java.util.List;

/**
 * Applies the rate-limit headers and refusals of the peer's answers to a limiter.
 *
 * <p>It reads an answer, and lets the limiter {@linkplain Limiter#heard hear} what it says. A quota
 * that names neither a window nor a limit only tells a refusal's pause, as the peer may have limits
 * that ours knows nothing of.
 *
 * <p>Nothing in an answer makes it throw. Immutable and thread-safe, if the reader is.
 *
 * @param reader reads answers; if it throws, the answer has no effect
 * @param backoff how refusals are reacted to
 */
public record Feedback(AnswerReader reader, Backoff backoff) {

  private static final Feedback USUAL = new Feedback(AnswerReader.standard(), Backoff.standard());

  /** Checks that no component is null. */
  public Feedback {
    requireNonNull(reader);
    requireNonNull(backoff);
  }

  /** Returns feedback with the standard reader and the standard backoff, which learns. */
  public static Feedback standard() {
    return USUAL;
  }

  /** Returns this feedback with another reader. */
  public Feedback reader(AnswerReader reader) {
    return new Feedback(reader, backoff);
  }

  /** Returns this feedback with another pause after refusals that state none. */
  public Feedback pause(Duration pause) {
    return new Feedback(reader, backoff.withPause(pause));
  }

  /** Returns this feedback with a longest pause, which holds whatever the peer states. */
  public Feedback maxPause(Duration maxPause) {
    return new Feedback(reader, backoff.withLongest(maxPause));
  }

  /** Returns this feedback without a working rate, and with pauses that do not double. */
  public Feedback withoutLearning() {
    return new Feedback(reader, backoff.withLearning(false));
  }

  /** Returns what the reader reads; {@link PeerAnswer#NOTHING} if it throws. */
  public PeerAnswer read(Answer answer) {
    requireNonNull(answer);
    try {
      return requireNonNull(reader.read(answer));
    } catch (RuntimeException unreadable) {
      return PeerAnswer.NOTHING;
    }
  }

  /**
   * Applies the answer to the request of {@code permit} to {@code limiter}. Call it before the
   * permit ends: then quotas have an effect.
   *
   * @return what the answer said
   */
  public PeerAnswer apply(Limiter limiter, Permit permit, Answer answer) {
    requireNonNull(permit);
    PeerAnswer said = read(answer);
    apply(limiter, permit, answer, said);
    return said;
  }

  /**
   * As {@link #apply(Limiter, Permit, Answer)}, for a program that has read more than headers:
   * {@code said} is what {@link #read} returned, combined with what the program knows from the
   * body.
   */
  public void apply(Limiter limiter, Permit permit, Answer answer, PeerAnswer said) {
    IgnoredWaits.LOGGED.tell(limiter, answer.status(), said);
    limiter.heard(permit, withoutUnnamed(said), backoff);
  }

  /** A refusal may pause until the reset of any quota; otherwise one must say which it is. */
  private static PeerAnswer withoutUnnamed(PeerAnswer said) {
    List<Quota> quotas = said.quotas();
    return said.verdict() != PeerVerdict.ACCEPTED || quotas.isEmpty()
        ? said
        : said.withQuotas(quotas.stream().filter(Feedback::namesALimit).toList());
  }

  private static boolean namesALimit(Quota quota) {
    return quota.window().isPresent() || quota.limit().isPresent();
  }
}
