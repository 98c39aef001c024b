package dev.pacegate.adapter;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.FailureClassifier;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.PeerAnswer;
import dev.pacegate.context.ContextPropagator;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the requests of a call get their permits, and which options contradict each other. */
@Timeout(60)
class PacedCallTest extends AdapterCases {

  private static NotSentException refusal(CompletableFuture<?> future) {
    Throwable failure = assertThrows(ExecutionException.class, future::get).getCause();
    return assertInstanceOf(NotSentException.class, failure);
  }

  // ---- waits

  @Test
  void aWaitThatIsTooLongSaysForWhat() throws Exception {
    Limiter two = limiter("2/1h");
    two.acquire().answered();
    two.acquire().answered();
    RequestPacing<URI, Reply> pacing = new Options().limiter(two).maxWait(ofMillis(20)).build();
    var thrown = assertThrows(NotSentException.class, () -> pacing.newCall().acquire(TARGET));
    assertEquals(
        "not sent: no permit within 20ms, the wait is at least 1h: 2/1h: 2 of 2 spent",
        thrown.getMessage());
    assertEquals(Optional.of(ofHours(1)), thrown.atLeast());
    NotSentException async = refusal(pacing.newCall().acquireAsync(TARGET));
    assertEquals(thrown.getMessage(), async.getMessage());
  }

  /** What is known at the end of a wait may be less than the wait was. */
  @Test
  void aWaitInVainIsTold() {
    assertEquals(
        "not sent: waited 25s in vain, and would wait at least 55ms more: 2/1h: 2 of 2 spent",
        new NotSentException(ofSeconds(25), ofMillis(55), "2/1h: 2 of 2 spent").getMessage());
    assertEquals(
        "not sent: no permit within 25s, the wait is at least 26s",
        new NotSentException(ofSeconds(25), ofSeconds(26), "").getMessage());
    assertEquals(
        "not sent: no permit within 25s",
        new NotSentException(ofSeconds(25), Duration.ZERO, "").getMessage());
  }

  @Test
  void aClosedLimiterGivesNoBound() {
    RequestPacing<URI, Reply> pacing = options().build();
    limiter.close();
    var thrown = assertThrows(NotSentException.class, () -> pacing.newCall().acquire(TARGET));
    assertEquals("not sent: limiter api: it is closed", thrown.getMessage());
    assertEquals(Optional.empty(), thrown.atLeast());
    assertEquals(Optional.empty(), refusal(pacing.newCall().acquireAsync(TARGET)).atLeast());
  }

  /** So a client sends a request that has waited as it sends one that has not. */
  @Test
  void dependentsOfARequestThatWaitsRunInTheContextOfTheCall() throws Exception {
    var value = new ThreadLocal<String>();
    var mine = ContextPropagator.of(value::get, value::set, value::remove);
    Limiter one = Limiter.builder("1/1s").time(time).executor(Runnable::run).context(mine).build();
    one.acquire();
    value.set("caller");
    CompletableFuture<String> seen =
        options()
            .limiter(one)
            .build()
            .newCall()
            .acquireAsync(TARGET)
            .thenApply(paced -> value.get());
    value.set("other");
    time.advance(ofSeconds(1));
    assertEquals("caller", seen.join());
    assertEquals("other", value.get());
  }

  @Test
  void aRequestThatNeedNotWaitCapturesNoContext() throws Exception {
    ContextPropagator fails =
        job -> {
          throw new IllegalStateException("thrown by a test");
        };
    Limiter one = Limiter.builder("1/1s").time(time).context(fails).build();
    CompletableFuture<PacedRequest<Reply>> paced =
        options().limiter(one).build().newCall().acquireAsync(TARGET);
    assertTrue(paced.isDone());
    paced.get().notSent();
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void aRequestWhoseContextIsLostIsNotSent(boolean atCapture) throws Exception {
    var broken = new IllegalStateException("thrown by a test");
    ContextPropagator fails =
        job -> {
          if (atCapture) {
            throw broken;
          }
          return () -> {
            throw broken;
          };
        };
    Limiter one =
        Limiter.builder("peer(1/1s, margin=0s)")
            .time(time)
            .executor(Runnable::run)
            .context(fails)
            .build();
    one.acquire().answered();
    CompletableFuture<PacedRequest<Reply>> paced =
        options().limiter(one).build().newCall().acquireAsync(TARGET);
    time.advance(ofSeconds(1));
    assertEquals(broken, assertThrows(ExecutionException.class, paced::get).getCause());
    assertEquals(Duration.ZERO, one.estimateWait(1));
    assertEquals(0, one.snapshot().open());
  }

  @Test
  void allWaitsOfACallEndTogether() {
    limiter.pause();
    PacedCall<URI, Reply> call = options().maxWait(ofSeconds(99)).build().newCall(ofSeconds(10));
    CompletableFuture<PacedRequest<Reply>> first = call.acquireAsync(TARGET);
    time.advance(ofSeconds(6));
    assertFalse(first.isDone());
    first.cancel(false);
    CompletableFuture<PacedRequest<Reply>> second = call.acquireAsync(TARGET);
    assertEquals(ofSeconds(4), call.within(ofSeconds(5)));
    time.advance(ofSeconds(4));
    assertTrue(second.isCompletedExceptionally(), "10 s have passed");
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void aCancelledFutureLeavesTheQueue() throws Exception {
    limiter.pause();
    CompletableFuture<PacedRequest<Reply>> place = options().build().newCall().acquireAsync(TARGET);
    assertEquals(1, limiter.snapshot().waiting());
    place.cancel(false);
    assertEquals(0, limiter.snapshot().waiting());
    limiter.resume();
    assertEquals(0, limiter.snapshot().granted());
  }

  /** Its message tells the reason, for which the limiter is looked at once more. */
  @Test
  void aRefusalWhoseReasonIsUnknownIsToldToo() {
    var failing = new FailingTime(time);
    Limiter own = limiter("1/1h", failing);
    assertTrue(own.tryAcquire().isPresent());
    RequestPacing<URI, Reply> pacing = new Options().limiter(own).maxWait(ofSeconds(1)).build();
    for (int reads = 1; reads < 20; reads++) {
      failing.failAt(reads);
      CompletableFuture<PacedRequest<Reply>> place;
      try {
        place = pacing.newCall().acquireAsync(TARGET);
      } catch (IllegalStateException atOnce) {
        continue;
      }
      assertTrue(place.isCompletedExceptionally(), "reading " + reads);
    }
  }

  /** A wait is watched only so that it is logged. */
  @Test
  void aWaitThatCannotBeWatchedIsNoOtherWait() throws Exception {
    var failing = new FailingTime(time);
    Limiter own = limiter("1/1h", failing);
    RequestPacing<URI, Reply> pacing = new Options().limiter(own).build();
    for (int reads = 1; reads < 20; reads++) {
      own.pause();
      failing.failAt(reads);
      CompletableFuture<PacedRequest<Reply>> place;
      try {
        place = pacing.newCall().acquireAsync(TARGET);
      } catch (IllegalStateException atOnce) {
        assertEquals(0, own.snapshot().waiting(), "reading " + reads);
        continue;
      }
      failing.failAt(0);
      place.cancel(false);
      assertEquals(0, own.snapshot().waiting(), "reading " + reads);
    }
    assertEquals(0, own.snapshot().granted());
  }

  /** As a RefusedException: other requests of the same job may have been answered. */
  @Test
  void aRequestThatIsNotSentIsNoLostOne() {
    limiter.pause();
    RequestPacing<URI, Reply> pacing = options().maxWait(Duration.ZERO).build();
    var late = assertThrows(NotSentException.class, () -> pacing.newCall().acquire(TARGET));
    assertEquals(Outcome.ANSWERED, FailureClassifier.standard().apply(late));
    limiter.close();
    var refused = assertThrows(NotSentException.class, () -> pacing.newCall().acquire(TARGET));
    assertEquals(Outcome.ANSWERED, FailureClassifier.standard().apply(refused));
  }

  @Test
  void aFutureIsCompletedWithThePermit() throws Exception {
    limiter.pause();
    CompletableFuture<PacedRequest<Reply>> place = options().build().newCall().acquireAsync(TARGET);
    limiter.resume();
    PacedRequest<Reply> request = place.get();
    request.received(Reply.of(200, ""));
    request.bodyEnded();
    assertEquals(1, limiter.snapshot().granted());
    assertEquals(0, limiter.snapshot().open());
  }

  // ---- what waits is logged

  @Test
  void aLongWaitIsLoggedOnceAMinute() throws Exception {
    var lines = new Lines();
    Logger logger = Logger.getLogger("dev.pacegate");
    logger.addHandler(lines);
    try {
      limiter.pause();
      RequestPacing<URI, Reply> pacing = options().build();
      int idle = time.pending();
      var waits =
          List.of(pacing.newCall().acquireAsync(TARGET), pacing.newCall().acquireAsync(TARGET));
      time.advance(ofSeconds(5));
      lines.await(1);
      String expected = "a request to peer has waited for 5s: paused until resumed";
      assertEquals(expected, lines.texts.get(0));
      time.advance(ofSeconds(59));
      time.advance(ofSeconds(1));
      lines.await(2);
      waits.forEach(each -> each.cancel(false));
      assertTrue(time.pending() <= idle, "a wait that is over is watched");
    } finally {
      logger.removeHandler(lines);
    }
  }

  private static final class Lines extends Handler {
    final List<String> texts = new CopyOnWriteArrayList<>();

    /** Waits for so many lines, which another thread writes, and expects no more. */
    void await(int lines) throws InterruptedException {
      while (texts.size() < lines) {
        Thread.sleep(1); // polls
      }
      assertEquals(lines, texts.size(), texts::toString);
    }

    @Override
    public void publish(LogRecord line) {
      if (line.getMessage().contains("has waited for")) { // others log as well
        texts.add(line.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  // ---- which limiter

  @ParameterizedTest
  @CsvSource({
    "http://Example.com/a, example.com",
    "https://example.com.:443/, example.com",
    "http://example.com:80, example.com",
    "http://example.com:443, example.com:443",
    "http://user@example.com:8080/, example.com:8080",
    "http://[::1]:8080/, [0:0:0:0:0:0:0:1]:8080",
    "http://[0:0:0:0:0:0:0:1]/, [0:0:0:0:0:0:0:1]",
    "http://My_Service:8080/, my_service:8080",
    "https://user@my_service:443/, my_service",
    "http://my_service.:80/, my_service",
    "http://my_service:/, my_service",
    "http://bücher.example/, xn--bcher-kva.example",
    "http://BÜCHER.example.:80/, xn--bcher-kva.example",
    "http://b%C3%BCcher.example:8080/, xn--bcher-kva.example:8080",
    "http://XN--BCHER-KVA.example/, xn--bcher-kva.example",
    "http://a%40b:c@bücher。example/, xn--bcher-kva.example",
    "http://xn--ü.example/, xn--ü.example", // none by the rules of names
    "http://[::ffff:10.0.0.1]:8080/, 10.0.0.1:8080",
    "http://[::FFFF:a00:1]/, 10.0.0.1",
    "http://10.0.0.1/, 10.0.0.1",
    "wss://example.com:443/, example.com",
    "ws://example.com:80/, example.com",
    "mailto:a@b.c, ''"
  })
  void aHostHasOneSpelling(URI target, String host) {
    assertEquals(host, HostKey.of(target));
  }

  @ParameterizedTest
  @CsvSource({
    "Example.COM., example.com",
    "Example.com:8080, example.com:8080",
    "my_Service.:443, my_service:443",
    "[::1], [0:0:0:0:0:0:0:1]",
    "[::1]:8080, [0:0:0:0:0:0:0:1]:8080",
    "[::FFFF:a00:1], 10.0.0.1",
    "BÜCHER.example, xn--bcher-kva.example",
    "'', ''",
    "no host at all, no host at all"
  })
  void aHostThatStandsAloneHasTheSameSpelling(String text, String host) {
    assertEquals(host, HostKey.of(text));
  }

  @Test
  void eachHostHasItsLimit() throws Exception {
    RequestPacing<URI, Reply> pacing = new Options().limit("1/1h").name("all").build();
    pacing.newCall().acquire(URI.create("http://one/")).bodyEnded();
    pacing.newCall().acquire(URI.create("http://two/")).bodyEnded();
    assertEquals("peer(1/1h)", pacing.limiter(URI.create("http://ONE/")).limit().toString());
    assertTrue(pacing.limiters().limiter("one").bottleneck().isPresent());
    assertTrue(pacing.limiters().limiter("three").bottleneck().isEmpty());
  }

  @Test
  void functionsThatChooseAreCalledOnceForARequest() throws Exception {
    var calls = new CopyOnWriteArrayList<String>();
    RequestPacing<URI, Reply> pacing =
        new Options()
            .limiters(
                request -> {
                  calls.add("limiter");
                  return limiter;
                })
            .cost(
                request -> {
                  calls.add("cost");
                  return Cost.ONE;
                })
            .build();
    pacing.newCall().acquire(TARGET).bodyEnded();
    assertEquals(List.of("limiter", "cost"), calls);
  }

  // ---- contradictions

  private static void assertRefused(String message, Consumer<Options> contradiction) {
    Options options = new Options().limit("10/1s");
    contradiction.accept(options);
    var thrown = assertThrows(IllegalStateException.class, options::build);
    assertTrue(("" + thrown.getMessage()).contains(message), thrown::getMessage);
  }

  @Test
  void optionsThatContradictEachOtherAreRefused() {
    assertRefused("drop withoutFeedback", o -> o.withoutFeedback().retryRefused(1));
    assertRefused("drop withoutFeedback", o -> o.withoutFeedback().refused(Reply::judged));
    assertRefused("settle needs", o -> o.answered(Answered.HEADERS).settle((r, c) -> c));
    assertRefused(
        "refused needs", o -> o.answered(Answered.HEADERS).refused(r -> PeerAnswer.NOTHING));
    Limiter own = Limiter.of("unlimited");
    assertRefused("set them there", o -> o.limiter(own).name("x"));
    assertRefused("set them there", o -> o.limiter(own).listener(new LimiterListener() {}));
    assertRefused("by belongs to limit", o -> o.by(request -> "key").limiter(own));
    assertRefused("by belongs to limit", o -> o.limiter(own).by(request -> "key"));
    assertThrows(IllegalStateException.class, () -> new Options().build());
    assertThrows(IllegalArgumentException.class, () -> new Options().retryRefused(-1));
    assertThrows(IllegalStateException.class, () -> options().build().limiters());
  }
}
