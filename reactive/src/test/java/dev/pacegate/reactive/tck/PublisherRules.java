package dev.pacegate.reactive.tck;

import dev.pacegate.reactive.Operator;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** The TCK for what an operator makes of a range. */
public abstract class PublisherRules extends PublisherVerification<Integer> {

  /**
   * What is expected comes within 20 s even on a busy machine, and is looked for every 5 ms; 25 ms
   * without a signal are silence, which a busy machine makes no shorter.
   */
  static final TestEnvironment ENVIRONMENT = new TestEnvironment(20_000, 25, 5, false);

  /** A subscriber that has cancelled should be forgotten by then. */
  static final long FORGOTTEN_MILLIS = 50;

  PublisherRules() {
    super(ENVIRONMENT, FORGOTTEN_MILLIS);
  }

  /**
   * Tries the rule that a subscriber is forgotten for up to two minutes, as the TCK gives the
   * garbage collector a tenth of a second. What is never forgotten fails each time.
   */
  static void untilForgotten(Rule rule) throws Throwable {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (System.nanoTime() < end) {
      try {
        rule.check();
        return;
      } catch (AssertionError notYet) {
        // once more
      }
    }
    rule.check();
  }

  interface Rule {
    void check() throws Throwable;
  }

  @Override
  @Test
  public void
      required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
          throws Throwable {
    untilForgotten(
        super
            ::required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber);
  }

  abstract Operator<Integer, Integer> operator();

  static Publisher<Integer> source(long elements) {
    return elements >= Integer.MAX_VALUE
        ? Flux.<Integer>generate(sink -> sink.next(1))
        : Flux.range(0, (int) elements);
  }

  @Override
  public Publisher<Integer> createPublisher(long elements) {
    return operator().apply(source(elements));
  }

  @Override
  public Publisher<Integer> createFailedPublisher() {
    return operator().apply(Flux.error(new IllegalStateException("on purpose")));
  }
}
