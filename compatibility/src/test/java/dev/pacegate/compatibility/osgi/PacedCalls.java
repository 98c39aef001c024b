package dev.pacegate.compatibility.osgi;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.http.PacedHttpClient;
import dev.pacegate.micrometer.LimiterMetrics;
import dev.pacegate.reactive.Pace;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicInteger;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * The program of a bundle. It registers its calls as a service of a type that the JDK has, since
 * the test outside the framework has classes of its own.
 */
public final class PacedCalls implements BundleActivator, Callable<List<String>> {

  private String server = "";

  @Override
  public void start(BundleContext context) {
    server = context.getProperty("server");
    context.registerService(Callable.class, this, null);
  }

  @Override
  public void stop(BundleContext context) {}

  @Override
  public List<String> call() throws Exception {
    return List.of(released(), sent(), streamed(), measured());
  }

  private static String released() {
    Limiter limiter = Limiter.of("2/1h & concurrent(9)");
    int released = 0;
    while (limiter.tryAcquire().map(PacedCalls::answered).isPresent()) {
      released++;
    }
    return "core: " + released;
  }

  private static Permit answered(Permit permit) {
    permit.answered();
    return permit;
  }

  private String sent() throws Exception {
    var client =
        PacedHttpClient.builder(HttpClient.newHttpClient())
            .limit("peer(2/1h)")
            .maxWait(Duration.ZERO)
            .build();
    var request = HttpRequest.newBuilder(URI.create(server)).build();
    int sent = 0;
    try {
      while (sent < 9) {
        client.send(request, BodyHandlers.ofString());
        sent++;
      }
    } catch (IOException refused) {
      return "http: " + sent + ", then " + refused.getClass().getSimpleName();
    }
    return "http: " + sent;
  }

  private static String streamed() throws InterruptedException {
    var seen = new AtomicInteger();
    var done = new CountDownLatch(1);
    try (var source = new SubmissionPublisher<Integer>()) {
      Pace.<Integer>enforce(Limiter.of("2/1h"))
          .applyTo((Flow.Publisher<Integer>) source)
          .subscribe(new Counter(seen, done));
      List.of(1, 2, 3).forEach(source::submit);
      done.await();
    }
    return "reactive: " + seen;
  }

  private static String measured() throws InterruptedException {
    Limiter limiter = Limiter.builder("2/1h").name("api").build();
    var registry = new SimpleMeterRegistry();
    LimiterMetrics.of(limiter).bindTo(registry);
    limiter.acquire().close();
    return "micrometer: "
        + (int) registry.get("pacegate.permits.released").functionCounter().count();
  }

  /** Counts until the stream ends. */
  record Counter(AtomicInteger seen, CountDownLatch done) implements Flow.Subscriber<Integer> {

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Integer element) {
      seen.incrementAndGet();
    }

    @Override
    public void onError(Throwable tooFast) {
      done.countDown();
    }

    @Override
    public void onComplete() {
      done.countDown();
    }
  }
}
