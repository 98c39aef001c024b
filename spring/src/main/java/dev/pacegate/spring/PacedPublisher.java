package dev.pacegate.spring;

import dev.pacegate.Job;
import dev.pacegate.Permit;
import dev.pacegate.spring.Place.PlaceEnding;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Paces methods that return a Mono or a Flux: each subscription waits, then calls the method. */
final class PacedPublisher extends PacedMethod {

  private final boolean single;

  private PacedPublisher(ThrottledTerms terms, boolean single) {
    super(terms);
    this.single = single;
  }

  static PacedMethod of(ThrottledMethod method, ThrottledTerms terms) {
    Class<?> result = method.method().getReturnType();
    if (result.isAssignableFrom(Flux.class) || result == Mono.class) {
      return new PacedPublisher(terms, result == Mono.class);
    }
    throw method.mustReturn("a Mono or a Flux");
  }

  @Override
  Object call(MethodInvocation invocation) {
    Job<@Nullable Object, Exception> job = job(invocation);
    Supplier<CompletableFuture<Permit>> queue = () -> queued(invocation);
    return single
        ? Place.mono(queue, PlaceEnding.OF_PERMIT, (permit, handOn) -> mono(permit, job))
        : Place.<Object>flux(queue, permit -> Flux.from((Publisher<?>) made(job)));
  }

  private CompletableFuture<Permit> queued(MethodInvocation invocation) {
    return terms.limiter(invocation).acquireAsync(terms.cost(invocation), terms.maxWait());
  }

  private static Mono<Object> mono(Permit permit, Job<@Nullable Object, Exception> job) {
    return ((Mono<?>) made(job)).cast(Object.class).doOnSuccess(value -> permit.answered());
  }

  private static Object made(Job<@Nullable Object, Exception> job) {
    try {
      return Objects.requireNonNull(job.call(), "the method returned no publisher");
    } catch (Exception failure) {
      throw Exceptions.propagate(failure);
    }
  }
}
