package dev.pacegate.benchmarks.proxies;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Clients that ask again as soon as they are answered, whatever the answer is. */
final class Crowding {

  private static final int FAILED = 0;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final HttpRequest request;
  private final List<Answer> answers = new ArrayList<>();
  private volatile boolean stopped;

  /**
   * An answer, at a time of {@link System#nanoTime}.
   *
   * @param waited since its client asked for it for the first time: it asks again until it has 200
   */
  private record Answer(int status, long at, long waited) {}

  /** What clients got, with what still came when they had stopped to ask. */
  record Got(Duration length, List<Long> waits, List<Integer> statuses, long inTime) {

    long count(int status) {
      return statuses.stream().filter(one -> one == status).count();
    }

    /** Returns how many requests got no answer at all. */
    long failed() {
      return count(FAILED);
    }

    /** Returns for how many seconds a share of the answers was waited at most. */
    double waited(double share) {
      List<Long> sorted = waits.stream().sorted().toList();
      int place = (int) (share * (sorted.size() - 1));
      return sorted.isEmpty() ? Double.NaN : sorted.get(place) / 1e9;
    }
  }

  Crowding(int port) {
    this.request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/")).build();
  }

  /** Sends for a time, and waits for the last answers. */
  Got run(int clients, Duration length) throws InterruptedException {
    long began = System.nanoTime();
    var running = Stream.generate(() -> next(System.nanoTime())).limit(clients).toList();
    Thread.sleep(length.toMillis()); // the load is real
    long ended = System.nanoTime();
    stopped = true;
    CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
    List<Answer> good = answers.stream().filter(answer -> answer.status() == 200).toList();
    return new Got(
        Duration.ofNanos(ended - began),
        good.stream().map(Answer::waited).toList(),
        answers.stream().map(Answer::status).toList(),
        good.stream().filter(answer -> answer.at() - ended <= 0).count());
  }

  /** One client, which has wanted an answer since some time. */
  private CompletableFuture<Void> next(long since) {
    return client
        .sendAsync(request, BodyHandlers.discarding())
        .handle((response, failure) -> failure == null ? statusOf(response) : FAILED)
        .thenCompose(
            status -> {
              long now = System.nanoTime();
              note(new Answer(status, now, now - since));
              return stopped
                  ? CompletableFuture.completedFuture(null)
                  : next(status == 200 ? now : since);
            });
  }

  private static int statusOf(HttpResponse<?> response) {
    return response.statusCode();
  }

  private synchronized void note(Answer answer) {
    answers.add(answer);
  }
}
