package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the future of a client of another make does, the call and its permit end. */
class HostileFutureTest {

  private static final HttpRequest REQUEST =
      HttpRequest.newBuilder(URI.create("http://localhost/")).build();

  private final Limiter limiter =
      Limiter.builder("peer(1/1s, margin=0s, unanswered=10s)")
          .time(ManualTime.manual())
          .executor(Runnable::run)
          .build();

  private final List<Integer> sent = new ArrayList<>();

  /** Sends through a client whose futures do as told when they are listened to. */
  private CompletableFuture<HttpResponse<Void>> send(
      Consumer<BiConsumer<Object, Throwable>> conduct) {
    var inner =
        new LateClient() {
          @Override
          public <T> CompletableFuture<HttpResponse<T>> sendAsync(
              HttpRequest request, BodyHandler<T> handler) {
            sent.add(1);
            return new HostileFuture<>(conduct);
          }
        };
    return PacedHttpClient.builder(inner)
        .limiter(limiter)
        .build()
        .sendAsync(REQUEST, BodyHandlers.discarding());
  }

  private static final class HostileFuture<T> extends CompletableFuture<T> {
    private final Consumer<BiConsumer<Object, Throwable>> conduct;

    HostileFuture(Consumer<BiConsumer<Object, Throwable>> conduct) {
      this.conduct = conduct;
    }

    @Override
    @SuppressWarnings("unchecked")
    public CompletableFuture<T> whenComplete(BiConsumer<? super T, ? super Throwable> action) {
      conduct.accept((BiConsumer<Object, Throwable>) (BiConsumer<?, ?>) action);
      return this;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      throw new StackOverflowError("thrown by a test");
    }
  }

  private void assertLost() {
    assertEquals(0, limiter.snapshot().open());
    assertEquals(Duration.ofSeconds(11), limiter.estimateWait(1));
    assertEquals(List.of(1), sent);
  }

  static List<Throwable> failures() {
    return List.of(new IllegalStateException("a test"), new StackOverflowError("a test"));
  }

  private static void sneak(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aFutureThatThrowsFailsTheCallAndLosesThePermit(Throwable mine) {
    CompletableFuture<HttpResponse<Void>> answer = send(listener -> sneak(mine));
    assertTrue(answer.isDone());
    assertSame(mine, assertThrows(CompletionException.class, answer::join).getCause());
    assertLost();
  }

  /** Taken twice, a redirect would be followed twice. */
  @ParameterizedTest
  @MethodSource("failures")
  void aSecondEndOfAFutureChangesNothing(Throwable mine) {
    var inner =
        new LateClient() {
          @Override
          @SuppressWarnings("NullAway") // a body that is not read
          public <T> CompletableFuture<HttpResponse<T>> sendAsync(
              HttpRequest request, BodyHandler<T> handler) {
            sent.add(1);
            handler.apply(new Redirected());
            var answer = new Answer<>(request, null);
            return sent.size() > 1
                ? new CompletableFuture<>()
                : new HostileFuture<>(
                    listener -> {
                      listener.accept(answer, null);
                      listener.accept(answer, null);
                      sneak(mine);
                    });
          }
        };
    PacedHttpClient client =
        PacedHttpClient.builder(inner)
            .limiter(Limiter.of("unlimited"))
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();
    CompletableFuture<HttpResponse<Void>> answer =
        client.sendAsync(REQUEST, BodyHandlers.discarding());
    assertFalse(answer.isDone());
    assertEquals(List.of(1, 1), sent);
  }

  private record Redirected() implements ResponseInfo {
    @Override
    public int statusCode() {
      return 302;
    }

    @Override
    public HttpHeaders headers() {
      return HttpHeaders.of(Map.of("Location", List.of("/again")), (name, value) -> true);
    }

    @Override
    public HttpClient.Version version() {
      return HttpClient.Version.HTTP_1_1;
    }
  }

  @Test
  void aCallWhoseFutureCannotBeCancelledMayBeCancelled() {
    var listeners = new ArrayList<BiConsumer<Object, Throwable>>();
    CompletableFuture<HttpResponse<Void>> answer = send(listeners::add);
    assertTrue(answer.cancel(true));
    listeners.get(0).accept(null, new IOException("late"));
    assertLost();
  }

  @Test
  void aClientThatReturnsNoFutureFailsTheCall() {
    var inner =
        new LateClient() {
          @Override
          @SuppressWarnings("NullAway") // on purpose
          public <T> CompletableFuture<HttpResponse<T>> sendAsync(
              HttpRequest request, BodyHandler<T> handler) {
            return null;
          }
        };
    PacedHttpClient client = PacedHttpClient.builder(inner).limiter(limiter).build();
    assertTrue(client.sendAsync(REQUEST, BodyHandlers.discarding()).isCompletedExceptionally());
    assertEquals(0, limiter.snapshot().open());
  }
}
