package dev.pacegate.compatibility;

import static org.eclipse.jetty.http.HttpFields.asMap;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.Feedback;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Request;

/** The recipe of {@code docs/recipes.md} for Jetty's client. */
final class JettyRecipe {

  private final Limiter api;

  JettyRecipe(Limiter api) {
    this.api = api;
  }

  CompletableFuture<ContentResponse> send(Request request) {
    CompletableFuture<Permit> place = api.acquireAsync();
    return place
        .thenCompose(p -> new CompletableResponseListener(request.followRedirects(false)).send())
        .whenComplete(
            (r, failure) -> {
              if (failure == null) {
                var answer = new Answer(r.getStatus(), asMap(r.getHeaders()), Instant.now());
                Feedback.standard().apply(api, place.join(), answer); // pauses after a 429
                place.join().answered();
              } else if (!place.isCompletedExceptionally()) {
                place.join().failed(failure); // lost, or not sent
              }
            });
  }
}
