package dev.pacegate.spring;

import dev.pacegate.Job;
import dev.pacegate.Permit;
import java.lang.reflect.Method;
import java.util.Objects;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Paces methods that return a Mono or a Flux: each subscription waits, then calls the method. */
final class PacedPublisher extends PacedMethod {

  private final boolean single;

  private PacedPublisher(ThrottledName name, boolean single) {
    super(name);
    this.single = single;
  }

  static PacedMethod of(Method method, ThrottledName name) {
    Class<?> result = method.getReturnType();
    if (result.isAssignableFrom(Flux.class) || result == Mono.class) {
      return new PacedPublisher(name, result == Mono.class);
    }
    throw refused(method, "must return a Mono or a Flux");
  }

  @Override
  Object call(MethodInvocation invocation) {
    Job<@Nullable Object, Exception> job = job(invocation);
    return single
        ? Place.mono(limiter, maxWait, (permit, handOn) -> mono(permit, job))
        : Place.<Object>flux(limiter, maxWait, permit -> Flux.from((Publisher<?>) made(job)));
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
