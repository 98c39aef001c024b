package dev.pacegate.reactive.tck;

import dev.pacegate.reactive.Operator;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import reactor.core.publisher.Flux;

/** The TCK for what an operator makes of a range. */
public abstract class PublisherRules extends PublisherVerification<Integer> {

  /**
   * What is expected comes within 500 ms even on a busy machine; 50 ms without a signal are
   * silence.
   */
  static final TestEnvironment ENVIRONMENT = new TestEnvironment(500, 25);

  PublisherRules() {
    super(ENVIRONMENT);
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
