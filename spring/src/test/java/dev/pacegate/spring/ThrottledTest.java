package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.WaitTooLongException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Methods that are throttled. */
@Timeout(60)
class ThrottledTest {

  private static final Duration LONG = Duration.ofSeconds(20);

  private final Peer peer;

  ThrottledTest() throws IOException {
    peer = new Peer();
  }

  @AfterEach
  void closePeer() {
    peer.close();
  }

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
          .withPropertyValues("pacegate.limits.sms=1/1h", "longest=1s");

  @Throttled("sms")
  interface Texts {
    void text();
  }

  @Throttled("mail")
  interface Mails<T> {
    void mail(T message);
  }

  static class Both implements Texts, Mails<String> {
    @Override
    public void text() {}

    @Override
    public void mail(String message) {}
  }

  @Test
  void eachInterfaceOfAClassNamesTheLimiterOfItsMethods() {
    runner
        .withPropertyValues("pacegate.limits.mail=1/1h")
        .withBean(Both.class)
        .run(
            context -> {
              context.getBean(Both.class).mail("hello");
              PacegateLimits limits = context.getBean(PacegateLimits.class);
              assertEquals(1, limits.get("mail").snapshot().granted());
              assertEquals(0, limits.get("sms").snapshot().granted());
            });
  }

  static class Service {

    final AtomicInteger calls = new AtomicInteger();
    final Sinks.Many<Integer> numbers = Sinks.many().unicast().onBackpressureBuffer();
    final CompletableFuture<String> answer = new CompletableFuture<>();

    public int calls() {
      return calls.get();
    }

    public Sinks.Many<Integer> numbers() {
      return numbers;
    }

    public CompletableFuture<String> answer() {
      return answer;
    }

    @Throttled(value = "sms", maxWait = "${longest}")
    public String send(String text) {
      calls.incrementAndGet();
      return "sent " + text;
    }

    @Throttled("sms")
    public String sendPatiently() {
      calls.incrementAndGet();
      return "sent";
    }

    @Throttled("sms")
    public void interruptibly() throws InterruptedException {
      calls.incrementAndGet();
    }

    @Throttled("sms")
    public CompletionStage<String> stage() {
      calls.incrementAndGet();
      return answer;
    }

    @Throttled("sms")
    public CompletionStage<String> deafStage() {
      return new CompletableFuture<>() {
        @Override
        public CompletableFuture<String> whenComplete(
            BiConsumer<? super String, ? super Throwable> action) {
          throw new IllegalStateException("a test");
        }
      };
    }

    @Throttled("sms")
    public Mono<String> mono() {
      return Mono.just("mono" + calls.incrementAndGet());
    }

    @Throttled("sms")
    public Flux<Integer> flux() {
      calls.incrementAndGet();
      return numbers.asFlux();
    }

    @Throttled("sms")
    public String refused() throws IOException {
      throw new java.net.ConnectException("nothing was sent");
    }
  }

  private interface Use {
    void of(Service service, Limiter limiter) throws Exception;
  }

  private void run(Use use) {
    runner
        .withBean(Service.class)
        .run(
            context -> {
              Limiter limiter = context.getBean(Limiter.class);
              use.of(context.getBean(Service.class), limiter);
              Waiting.nothingIsLeft(limiter);
            });
  }

  @Test
  void aMethodThatWaits() {
    run(
        (service, limiter) -> {
          assertEquals("sent 1", service.send("1"));
          assertThrows(WaitTooLongException.class, () -> service.send("2"));
          assertEquals(1, limiter.snapshot().granted());
        });
  }

  @Test
  void anUnsentRequestIsGivenBack() {
    run(
        (service, limiter) -> {
          assertThrows(IOException.class, service::refused);
          assertEquals("sent 1", service.send("1"));
        });
  }

  @Test
  void interruptsComeAsTheMethodDeclaresThem() {
    run(
        (service, limiter) -> {
          service.sendPatiently();
          Thread.currentThread().interrupt();
          var undeclared = assertThrows(CompletionException.class, service::sendPatiently);
          assertInstanceOf(InterruptedException.class, undeclared.getCause());
          assertTrue(Thread.interrupted());
          Thread.currentThread().interrupt();
          assertThrows(InterruptedException.class, service::interruptibly);
          assertFalse(Thread.interrupted());
          assertEquals(1, limiter.snapshot().granted());
        });
  }

  @Test
  void aStageEndsThePermit() {
    run(
        (service, limiter) -> {
          var first = service.stage().toCompletableFuture();
          assertEquals(1, limiter.snapshot().open());
          var second = service.stage().toCompletableFuture();
          assertEquals(1, limiter.snapshot().waiting());
          second.cancel(true);
          assertEquals(0, limiter.snapshot().waiting());
          service.answer().complete("answer");
          assertEquals("answer", first.get(10, TimeUnit.SECONDS));
          assertEquals(1, service.calls());
        });
  }

  @Test
  void aStageThatTakesNoCallbackFailsItsCallAndEndsThePermit() {
    run(
        (service, limiter) -> {
          var call = service.deafStage().toCompletableFuture();
          var failure = assertThrows(CompletionException.class, call::join);
          assertInstanceOf(IllegalStateException.class, failure.getCause());
          assertEquals(0, limiter.snapshot().open());
        });
  }

  @Test
  void eachSubscriptionToAMonoTakesAPermit() {
    run(
        (service, limiter) -> {
          Mono<String> mono = service.mono();
          assertEquals(0, service.calls());
          assertEquals("mono1", mono.block(LONG));
          Disposable waiter = mono.subscribe();
          assertEquals(1, limiter.snapshot().waiting());
          waiter.dispose();
          assertEquals(0, limiter.snapshot().waiting());
          var later = mono.toFuture();
          limiter.setLimit("2/1h");
          assertEquals("mono2", later.get(10, TimeUnit.SECONDS));
        });
  }

  @Test
  void aFluxHoldsItsPermitUntilItsEnd() {
    run(
        (service, limiter) -> {
          var all = service.flux().collectList().toFuture();
          service.numbers().tryEmitNext(1).orThrow();
          assertEquals(1, limiter.snapshot().open());
          service.numbers().tryEmitNext(2).orThrow();
          service.numbers().tryEmitComplete().orThrow();
          assertEquals(2, all.get(10, TimeUnit.SECONDS).size());
        });
  }

  @Test
  void aCancelledFluxIsLost() {
    runner
        .withPropertyValues("pacegate.limits.sms=peer(1/10ms, unanswered=1h)")
        .withBean(Service.class)
        .run(
            context -> {
              Limiter limiter = context.getBean(Limiter.class);
              context.getBean(Service.class).flux().subscribe().dispose();
              Waiting.nothingIsLeft(limiter);
              assertTrue(limiter.estimateWait(1).toMinutes() > 50);
            });
  }

  /** A read time-out in Spring's wrapper: the peer may have counted the request. */
  @Test
  void aTimeOutInSpringsWrapperStaysSpent() {
    runner
        .withPropertyValues("pacegate.limits.sms=peer(2/10ms, unanswered=1h)")
        .withBean(Slow.class, () -> new Slow(peer.uri("/stall")))
        .run(
            context -> {
              Slow slow = context.getBean(Slow.class);
              assertThrows(ResourceAccessException.class, slow::get);
              assertThrows(ResourceAccessException.class, slow::get);
              Limiter limiter = context.getBean(Limiter.class);
              Waiting.nothingIsLeft(limiter);
              assertTrue(limiter.estimateWait(1).toMinutes() > 50);
              Waiting.until(() -> peer.count() == 2);
            });
  }

  static class Slow {
    private final RestClient client;
    private final String uri;

    Slow() {
      this("");
    }

    Slow(String uri) {
      var factory = new SimpleClientHttpRequestFactory();
      factory.setReadTimeout(Duration.ofMillis(50));
      this.client = RestClient.builder().requestFactory(factory).build();
      this.uri = uri;
    }

    @Throttled("sms")
    public @Nullable String get() {
      return client.get().uri(uri).retrieve().body(String.class);
    }
  }

  @Throttled("own")
  static class WholeClass {
    public int one() {
      return 1;
    }

    /** Not meant by the annotation of the class, nor refused for its result. */
    private static @Nullable Future<String> helper() {
      return null;
    }

    private @Nullable Future<String> ownHelper() {
      return helper();
    }

    @Override
    public String toString() {
      return "whole " + ownHelper();
    }
  }

  static class OnePrivate {
    @Throttled("sms")
    @SuppressWarnings("UnusedMethod")
    private void send() {}
  }

  static class OneStatic {
    @Throttled("sms")
    public static void send() {}
  }

  static class OneFinal {
    @Throttled("sms")
    public final void send() {}
  }

  @Throttled("sms")
  static class FinalInAClass {
    public final void send() {}
  }

  @ParameterizedTest
  @ValueSource(classes = {OnePrivate.class, OneStatic.class, OneFinal.class, FinalInAClass.class})
  void aMethodThatNoProxySeesEndsTheStart(Class<?> type) {
    runner
        .withBean(type)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasMessageContaining("a private, static or final method"));
  }

  @Test
  void aClassAndALimiterOfYourOwn() {
    runner
        .withBean("own", Limiter.class, () -> Limiter.of("peer(5/1h)"))
        .withBean(WholeClass.class)
        .run(
            context -> {
              assertEquals(1, context.getBean(WholeClass.class).one());
              assertEquals("whole null", context.getBean(WholeClass.class).toString());
              assertEquals(context.getBean(WholeClass.class), context.getBean(WholeClass.class));
              assertEquals(1, context.getBean("own", Limiter.class).snapshot().granted());
            });
  }

  static class Unknown {
    @Throttled("smss")
    public void send() {}
  }

  static class Forgetful {
    @Throttled("sms")
    public Future<String> send() {
      return new CompletableFuture<>();
    }
  }

  @Test
  void anUnknownNameEndsTheStart() {
    runner
        .withBean(Unknown.class)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasMessageContaining(
                        "names the limiter \"smss\", which does not exist. There are [sms]")
                    .hasMessageContaining("set the property pacegate.limits.smss"));
  }

  @Test
  void aResultWhoseEndCannotBeSeenEndsTheStart() {
    runner
        .withBean(Forgetful.class)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasMessageContaining("must return a CompletableFuture"));
  }

  static class ReturnsAFlow {
    @Throttled("sms")
    public kotlinx.coroutines.flow.Flow send() {
      return new kotlinx.coroutines.flow.Flow() {};
    }
  }

  interface Single extends io.reactivex.rxjava3.core.SingleSource {}

  static class ReturnsASingle {
    @Throttled("sms")
    public Single send() {
      return new Single() {};
    }
  }

  static class ReturnsAUni {
    @Throttled("sms")
    public io.smallrye.mutiny.Uni send() {
      return new io.smallrye.mutiny.Uni() {};
    }
  }

  /** Nothing is sent before they are collected or subscribed to. */
  @ParameterizedTest
  @ValueSource(classes = {ReturnsAFlow.class, ReturnsASingle.class, ReturnsAUni.class})
  void aLazyResultEndsTheStart(Class<?> type) {
    runner
        .withBean(type)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasMessageContaining("must return a Mono, a Flux or a CompletableFuture"));
  }
}
