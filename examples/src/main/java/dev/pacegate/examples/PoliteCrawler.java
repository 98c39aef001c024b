package dev.pacegate.examples;

import dev.pacegate.adapter.Answered;
import dev.pacegate.http.PacedHttpClient;
import dev.pacegate.http.RequestKey;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Fetches pages, no host's more often than every so often, and as many hosts at once as there are.
 * No thread waits. A host that says "later" is left alone for so long, and the others are not.
 */
public final class PoliteCrawler {

  private final HttpClient client;

  /** Makes a crawler that leaves at least {@code gap} between two requests to a host. */
  public PoliteCrawler(Duration gap) {
    client =
        PacedHttpClient.builder(HttpClient.newBuilder().followRedirects(Redirect.NORMAL))
            .limit("spacing(" + gap.toMillis() + "ms)") // from the end of one to the next
            .by(RequestKey.host())
            .answered(Answered.BODY)
            .build();
  }

  /** Returns the status of each page, in order; -1 where there was no answer. */
  public List<Integer> fetch(List<URI> pages) {
    var answers = new ArrayList<CompletableFuture<Integer>>();
    for (URI page : pages) {
      HttpRequest request = HttpRequest.newBuilder(page).timeout(Duration.ofSeconds(20)).build();
      answers.add(
          client
              .sendAsync(request, BodyHandlers.discarding())
              .thenApply(HttpResponse::statusCode)
              .exceptionally(failure -> -1));
    }
    return answers.stream().map(CompletableFuture::join).toList();
  }

  /** Fetches the pages given. */
  public static void main(String[] pages) {
    List<URI> uris = List.of(pages).stream().map(URI::create).toList();
    System.out.println(new PoliteCrawler(Duration.ofSeconds(1)).fetch(uris));
  }
}
