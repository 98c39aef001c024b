package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.context.ContextPropagator;
import dev.pacegate.time.ManualTime;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A request that has waited is sent with the thread-locals of the caller, as one that has not. So
 * executors that carry contexts take the right ones.
 */
class ThreadLocalsTest {

  private static final ThreadLocal<String> VALUE = new ThreadLocal<>();
  private static final HttpRequest REQUEST =
      HttpRequest.newBuilder(URI.create("http://localhost/")).build();

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter =
      Limiter.builder("1/1s")
          .time(time)
          .executor(Runnable::run)
          .context(ContextPropagator.of(VALUE::get, VALUE::set, VALUE::remove))
          .build();
  private final List<String> seen = new ArrayList<>();

  private final LateClient inner =
      new LateClient() {
        @Override
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> handler) {
          seen.add(VALUE.get());
          return super.sendAsync(request, handler);
        }
      };

  private CompletableFuture<?> send(String caller) {
    VALUE.set(caller);
    var answer =
        PacedHttpClient.builder(inner)
            .limiter(limiter)
            .build()
            .sendAsync(REQUEST, BodyHandlers.discarding());
    VALUE.set("other");
    return answer;
  }

  @AfterEach
  void clear() {
    VALUE.remove();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRequestIsSentWithTheThreadLocalsOfTheCaller(boolean waits) throws Exception {
    if (waits) {
      limiter.acquire();
    }
    CompletableFuture<?> answer = send("caller");
    assertEquals(waits ? List.of() : List.of("caller"), seen);
    time.advance(Duration.ofSeconds(1));
    assertEquals(List.of("caller"), seen);
    assertEquals("other", VALUE.get());
    answer.cancel(true);
  }

  @Test
  void eachCallerHasItsOwn() throws Exception {
    limiter.acquire();
    List<CompletableFuture<?>> answers = List.of(send("a"), send("b"));
    time.advance(Duration.ofSeconds(2));
    assertEquals(List.of("a", "b"), seen);
    answers.forEach(answer -> answer.cancel(true));
  }
}
