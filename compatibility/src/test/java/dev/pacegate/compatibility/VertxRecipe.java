package dev.pacegate.compatibility;

import static java.util.stream.Collectors.toMap;

import dev.pacegate.Limiter;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.Feedback;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import java.time.Instant;

/** The recipe of {@code docs/recipes.md} for the web client of Vert.x. */
final class VertxRecipe {

  private final Vertx vertx;
  private final Limiter api;

  VertxRecipe(Vertx vertx, Limiter api) {
    this.vertx = vertx;
    this.api = api;
  }

  Future<HttpResponse<Buffer>> send(HttpRequest<Buffer> request) {
    var place = Future.fromCompletionStage(api.acquireAsync(), vertx.getOrCreateContext());
    return place
        .compose(permit -> request.followRedirects(false).send())
        .onFailure(failure -> place.onSuccess(permit -> permit.failed(failure)))
        .onSuccess(
            response -> {
              var all = response.headers();
              var headers = all.names().stream().collect(toMap(name -> name, all::getAll));
              var answer = new Answer(response.statusCode(), headers, Instant.now());
              Feedback.standard().apply(api, place.result(), answer); // pauses after a 429
              place.result().answered();
            });
  }
}
