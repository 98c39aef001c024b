package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** Clients that ask again as soon as they are answered, and must be answered with 200. */
final class EagerClients {

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final HttpRequest request;
  private final List<CompletableFuture<Void>> clients = new ArrayList<>();
  private final AtomicLong answered = new AtomicLong();
  private volatile boolean stopped;

  /** They begin at once. */
  EagerClients(PacedProxy proxy, int count) {
    this.request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + proxy.address().getPort() + "/"))
            .build();
    for (int i = 0; i < count; i++) {
      clients.add(next());
    }
  }

  private CompletableFuture<Void> next() {
    return client
        .sendAsync(request, BodyHandlers.discarding())
        .thenCompose(
            answer -> {
              assertEquals(200, answer.statusCode());
              answered.incrementAndGet();
              return stopped ? CompletableFuture.completedFuture(null) : next();
            });
  }

  /** Each gets its last answer. Fails if one got another than 200, or none. */
  void stop() {
    stopped = true;
    clients.forEach(CompletableFuture::join);
  }

  long answered() {
    return answered.get();
  }
}
