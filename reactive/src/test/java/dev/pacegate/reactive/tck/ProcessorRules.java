package dev.pacegate.reactive.tck;

import dev.pacegate.reactive.Operator;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import org.reactivestreams.Processor;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.IdentityProcessorVerification;
import org.testng.SkipException;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** The TCK for both sides of an operator that passes on what it gets. */
public abstract class ProcessorRules extends IdentityProcessorVerification<Integer> {

  ProcessorRules() {
    super(PublisherRules.ENVIRONMENT, PublisherRules.FORGOTTEN_MILLIS);
  }

  @Override
  @Test
  public void
      required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
          throws Throwable {
    PublisherRules.untilForgotten(
        super
            ::required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber);
  }

  abstract Operator<Integer, Integer> operator();

  @Override
  public Processor<Integer, Integer> createIdentityProcessor(int bufferSize) {
    return new OperatorProcessor<>(operator());
  }

  @Override
  public Publisher<Integer> createFailedPublisher() {
    return operator().apply(Flux.error(new IllegalStateException("on purpose")));
  }

  @Override
  public Publisher<Integer> createHelperPublisher(long elements) {
    return PublisherRules.source(elements);
  }

  @Override
  public ExecutorService publisherExecutorService() {
    return ForkJoinPool.commonPool();
  }

  @Override
  public Integer createElement(int element) {
    return element;
  }

  @Override
  public long maxSupportedSubscribers() {
    return 1;
  }

  // A processor has one subscriber: with more the TCK would wait in vain, and then skip these.

  @Override
  @Test
  public void optional_spec111_maySupportMultiSubscribe() {
    throw new SkipException("one subscriber");
  }

  @Override
  @Test
  public void optional_spec111_registeredSubscribersMustReceiveOnNextOrOnCompleteSignals() {
    throw new SkipException("one subscriber");
  }

  @Override
  @Test
  public void
      optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingOneByOne() {
    throw new SkipException("one subscriber");
  }

  @Override
  @Test
  public void
      optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfront() {
    throw new SkipException("one subscriber");
  }

  @Override
  @Test
  public void
      optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfrontAndCompleteAsExpected() {
    throw new SkipException("one subscriber");
  }
}
