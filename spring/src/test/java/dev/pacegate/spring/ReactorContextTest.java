package dev.pacegate.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import io.micrometer.context.ContextRegistry;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/**
 * Methods that return a Mono or Flux, and requests of WebClient, see Reactor's context, and the
 * thread-locals of its automatic propagation, with and without a wait.
 */
@Timeout(60)
class ReactorContextTest {

  private static final String USER = "pacegate.user";
  private static final ThreadLocal<String> LOCAL = new ThreadLocal<>();

  private final List<String> seen = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void propagate() {
    ContextRegistry.getInstance().registerThreadLocalAccessor(USER, LOCAL);
    Hooks.enableAutomaticContextPropagation();
  }

  @AfterAll
  static void propagateNoMore() {
    Hooks.disableAutomaticContextPropagation();
    ContextRegistry.getInstance().removeThreadLocalAccessor(USER);
  }

  /** Looks around when it is called, and when what it returns is subscribed to. */
  static class Service {

    private final List<String> seen;

    Service(List<String> seen) {
      this.seen = seen;
    }

    @Throttled("sms")
    public Mono<String> mono() {
      seen.add("called " + LOCAL.get());
      return looks(seen);
    }

    @Throttled("sms")
    public Flux<String> flux() {
      seen.add("called " + LOCAL.get());
      return looks(seen).flux();
    }
  }

  private static Mono<String> looks(List<String> seen) {
    return Mono.deferContextual(
        context -> {
          seen.add("subscribed " + LOCAL.get());
          return Mono.just(context.get(USER));
        });
  }

  @Test
  void aMethodThatReturnsAMonoSeesTheContextOfItsSubscriber() {
    isKept(Service::mono);
  }

  @Test
  void aMethodThatReturnsAFluxSeesTheContextOfItsSubscriber() {
    isKept(service -> service.flux().single());
  }

  private void isKept(Function<Service, Mono<String>> call) {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
        .withPropertyValues("pacegate.limits.sms=starts(1/1h)")
        .withBean(Service.class, seen)
        .run(
            context -> {
              Limiter limiter = context.getBean(PacegateLimits.class).get("sms");
              isKept(limiter, call.apply(context.getBean(Service.class)));
            });
  }

  @Test
  void aRequestOfWebClientSeesTheContextOfItsSubscriber() throws Exception {
    Limiter limiter = Limiter.of("starts(1/1h)");
    var request = ClientRequest.create(HttpMethod.GET, URI.create("http://example.org")).build();
    ExchangeFilterFunction filter = PacedExchangeFilter.of(limiter);
    Mono<ClientResponse> sent =
        filter.filter(
            request,
            next -> {
              seen.add("exchanged " + LOCAL.get());
              return looks(seen).map(user -> response(user));
            });
    isKept(limiter, sent.flatMap(response -> response.bodyToMono(String.class)));
  }

  private static ClientResponse response(String body) {
    return ClientResponse.create(HttpStatus.OK).body(body).build();
  }

  private void isKept(Limiter limiter, Mono<String> sent) throws Exception {
    Mono<String> asAnn =
        sent.doOnNext(user -> seen.add("below " + LOCAL.get()))
            .contextWrite(context -> context.put(USER, "ann"));
    assertEquals("ann", asAnn.toFuture().get(50, TimeUnit.SECONDS));
    CompletableFuture<String> waiting = asAnn.toFuture();
    assertEquals(1, limiter.snapshot().waiting());
    limiter.setLimit("unlimited");
    assertEquals("ann", waiting.get(50, TimeUnit.SECONDS));
    assertTrue(seen.size() >= 4, seen::toString);
    assertEquals(List.of(), seen.stream().filter(where -> !where.endsWith(" ann")).toList());
  }
}
