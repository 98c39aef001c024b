package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Job;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.KotlinDetector;

/** How the calls of one method are paced: by the kind of what it returns. */
abstract class PacedMethod {

  private static final String PUBLISHER = "org.reactivestreams.Publisher";

  /** What a method returns before its request has ended, other than futures and publishers. */
  private static final Set<String> LATER =
      Set.of(
          "java.util.concurrent.Flow$Publisher",
          "kotlinx.coroutines.Deferred",
          "kotlinx.coroutines.flow.Flow",
          "io.reactivex.rxjava3.core.ObservableSource",
          "io.reactivex.rxjava3.core.SingleSource",
          "io.reactivex.rxjava3.core.MaybeSource",
          "io.reactivex.rxjava3.core.CompletableSource",
          "io.smallrye.mutiny.Uni",
          "scala.concurrent.Future");

  final ThrottledTerms terms;

  PacedMethod(ThrottledTerms terms) {
    this.terms = terms;
  }

  static PacedMethod of(ThrottledMethod throttled) {
    var terms = ThrottledTerms.of(throttled);
    Method method = throttled.method();
    Class<?> result = method.getReturnType();
    if (KotlinDetector.isSuspendingFunction(method)) {
      throw throttled.refused("is a suspending function: use the module pacegate-kotlin");
    }
    if (CompletionStage.class.isAssignableFrom(result)) {
      if (!result.isAssignableFrom(CompletableFuture.class)) {
        throw throttled.mustReturn("a CompletableFuture or a CompletionStage");
      }
      return new Staged(terms);
    }
    if (Future.class.isAssignableFrom(result)) {
      throw throttled.mustReturn("a CompletableFuture: the end of this one cannot be seen");
    }
    if (isA(result, Set.of(PUBLISHER))) {
      return PacedPublisher.of(throttled, terms);
    }
    if (isA(result, LATER)) {
      throw throttled.mustReturn("a Mono, a Flux or a CompletableFuture for a later result");
    }
    return new Blocking(method, terms);
  }

  /** Compares names, as the libraries need not be there. */
  private static boolean isA(Class<?> type, Set<String> names) {
    return names.contains(type.getName())
        || Arrays.stream(type.getInterfaces()).anyMatch(parent -> isA(parent, names))
        || (type.getSuperclass() != null && isA(type.getSuperclass(), names));
  }

  abstract @Nullable Object call(MethodInvocation invocation) throws Throwable;

  /** Returns a job that calls the method, on whatever thread and however often. */
  @SuppressWarnings("NullAway") // javac 17 does not tell it that the result may be null
  static Job<@Nullable Object, Exception> job(MethodInvocation invocation) {
    return () -> proceed(((ProxyMethodInvocation) invocation).invocableClone());
  }

  private static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
    try {
      return invocation.proceed();
    } catch (Exception | Error failure) {
      throw failure;
    } catch (Throwable failure) {
      throw new UndeclaredThrowableException(failure);
    }
  }

  /** Waits on the calling thread. */
  private static final class Blocking extends PacedMethod {

    private final boolean declaresInterrupts;

    Blocking(Method method, ThrottledTerms terms) {
      super(terms);
      this.declaresInterrupts =
          Arrays.stream(method.getExceptionTypes())
              .anyMatch(type -> type.isAssignableFrom(InterruptedException.class));
    }

    @Override
    @Nullable Object call(MethodInvocation invocation) throws Throwable {
      Job<@Nullable Object, Exception> job = job(invocation);
      try {
        return terms.limiter(invocation).call(terms.cost(invocation), terms.maxWait(), job);
      } catch (InterruptedException interrupted) {
        if (declaresInterrupts) {
          throw interrupted;
        }
        Thread.currentThread().interrupt();
        throw new CompletionException(interrupted);
      }
    }
  }

  /** Returns a future at once. */
  private static final class Staged extends PacedMethod {

    Staged(ThrottledTerms terms) {
      super(terms);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the proxy returns it
    @Override
    CompletableFuture<Object> call(MethodInvocation invocation) {
      Job<@Nullable Object, Exception> job = job(invocation);
      try {
        return terms
            .limiter(invocation)
            .callAsync(terms.cost(invocation), terms.maxWait(), () -> stage(job));
      } catch (IllegalArgumentException wrong) { // the key or the cost
        return CompletableFuture.failedFuture(wrong);
      }
    }

    private static CompletionStage<Object> stage(Job<@Nullable Object, Exception> job) {
      try {
        @SuppressWarnings("unchecked") // as the method declares
        var stage = (CompletionStage<Object>) requireNonNull(job.call(), "no stage");
        return stage;
      } catch (Exception failure) {
        return CompletableFuture.failedFuture(failure);
      }
    }
  }
}
