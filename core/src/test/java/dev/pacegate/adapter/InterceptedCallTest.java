package dev.pacegate.adapter;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of a client that decides by itself what follows from a response. */
@Timeout(60)
class InterceptedCallTest extends AdapterCases {

  private final IOException cancelled = new IOException("cancelled");

  private InterceptedCall<URI, Reply> call(Options options) {
    return new InterceptedCall<>(options.build(), () -> cancelled);
  }

  private void assertCounts(int granted, int open, int lost) {
    assertEquals(granted, limiter.snapshot().granted());
    assertEquals(open, limiter.snapshot().open());
    assertEquals(lost, limiter.snapshot().lost());
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void thePermitTakenAheadIsThatOfTheNextRequest() throws IOException {
    var call = call(options());
    call.prepare(TARGET);
    PacedRequest<Reply> sent = call.next(TARGET);
    assertCounts(1, 1, 0);
    sent.bodyEnded();
    call.received(Reply.of(200, ""));
    call.withdraw();
    assertCounts(1, 0, 0);
  }

  @Test
  void aPermitWithoutARequestIsGivenBack() throws IOException {
    var call = call(options().limiter(limiter("peer(1/1h)")).maxWait(Duration.ZERO));
    for (int i = 0; i < 3; i++) {
      call.prepare(TARGET);
      call.withdraw();
      call.prepare(TARGET);
      call.prepare(TARGET);
      call.failed(new IOException());
    }
    call.next(TARGET);
    assertThrows(InterruptedIOException.class, () -> call.prepare(TARGET));
  }

  @Test
  void aRequestToAnotherHostTakesAPermitOfItsOwn() throws IOException {
    RequestPacing<URI, Reply> pacing = new Options().limit("1/1h").maxWait(Duration.ZERO).build();
    var call = new InterceptedCall<>(pacing, IOException::new);
    URI other = URI.create("http://other/");
    call.prepare(TARGET);
    call.next(other);
    assertEquals(1, pacing.limiter(other).snapshot().open());
    assertEquals(0, pacing.limiter(TARGET).snapshot().open());
    call.next(TARGET); // it was given back
    assertEquals(1, pacing.limiter(TARGET).snapshot().open());
  }

  @Test
  void aFurtherRequestComesAfterTheEndOfTheOneBefore() throws IOException {
    var call = call(options().limiter(limiter("concurrent(1)")).maxWait(Duration.ZERO));
    for (int i = 0; i < 3; i++) {
      call.next(TARGET).bodyEnded();
    }
    call.prepare(TARGET);
    call.next(TARGET);
    assertFalse(call.shouldRetry());
  }

  @Test
  void aRefusedRequestIsRetriedUntilAnotherFollows() throws IOException {
    var call = call(options().retryRefused(9));
    PacedRequest<Reply> sent = call.next(TARGET);
    sent.headers(429, Reply.of(429, "").headers());
    sent.bodyEnded();
    assertTrue(call.shouldRetry());
    call.superseded();
    assertFalse(call.shouldRetry());
    assertCounts(1, 0, 0);
  }

  /** Clients repeat other I/O errors. */
  @Test
  void aRefusalOfThePermitIsAnInterruptedRequestWithinTheClient() {
    limiter.pause();
    var call = call(options().maxWait(Duration.ZERO));
    var thrown = assertThrows(InterruptedIOException.class, () -> call.next(TARGET));
    assertInstanceOf(NotSentException.class, InterceptedCall.reported(thrown));
    assertSame(cancelled, InterceptedCall.reported(cancelled));
    var ofTheUser = new IOException(thrown.getCause());
    assertSame(ofTheUser, InterceptedCall.reported(ofTheUser));
    assertFalse(Thread.currentThread().isInterrupted());
    assertCounts(0, 0, 0);
  }

  @Test
  void aCallThatWasCancelledSendsNothing() throws IOException {
    var call = call(options());
    call.prepare(TARGET);
    call.cancel();
    assertSame(cancelled, assertThrows(IOException.class, () -> call.next(TARGET)));
    assertSame(cancelled, assertThrows(IOException.class, () -> call.prepare(TARGET)));
    assertFalse(Thread.currentThread().isInterrupted());
    assertCounts(1, 0, 0);
  }

  /** Sends on a thread of its own; returns its failure and whether it is interrupted then. */
  private CompletableFuture<String> waiting(
      InterceptedCall<URI, Reply> call, CompletableFuture<Thread> thread) {
    var end = new CompletableFuture<String>();
    new Thread(
            () -> {
              thread.complete(Thread.currentThread());
              var thrown = assertThrows(IOException.class, () -> call.next(TARGET));
              end.complete(thrown.getMessage() + " " + Thread.currentThread().isInterrupted());
            })
        .start();
    while (limiter.snapshot().waiting() == 0) {
      Thread.onSpinWait();
    }
    return end;
  }

  @Test
  void aCallThatIsCancelledLeavesTheQueueWithoutAnInterrupt() throws Exception {
    limiter.pause();
    var call = call(options());
    CompletableFuture<String> end = waiting(call, new CompletableFuture<>());
    call.cancel();
    assertEquals("cancelled false", end.get());
    assertCounts(0, 0, 0);
  }

  @Test
  void anInterruptLeavesTheQueueAndStays() throws Exception {
    limiter.pause();
    var thread = new CompletableFuture<Thread>();
    CompletableFuture<String> end = waiting(call(options()), thread);
    requireNonNull(thread.get()).interrupt();
    assertEquals("interrupted while waiting for a permit true", end.get());
    assertCounts(0, 0, 0);
  }

  @Test
  void aResponseThatIsDisconnectedIsLostUnlessItsBodyIsIn() throws IOException {
    var call = call(options());
    call.next(TARGET);
    call.disconnected();
    assertCounts(1, 0, 1);
    PacedRequest<Reply> sent = call.next(TARGET);
    sent.bodyEnded();
    call.cancel();
    assertCounts(2, 1, 1); // its response is waited for
    call.received(Reply.of(200, ""));
    assertCounts(2, 0, 1);
  }

  /** The interrupt by which it is cancelled would hit what the thread does next. */
  @Test
  void aFunctionThatCancelsItsCallLeavesNoInterruptBehind() {
    var self = new CompletableFuture<InterceptedCall<URI, Reply>>();
    Limiter own = limiter;
    var call =
        call(
            new Options()
                .limiters(
                    request -> {
                      self.join().cancel();
                      return own;
                    }));
    self.complete(call);
    assertSame(cancelled, assertThrows(IOException.class, () -> call.next(TARGET)));
    assertFalse(Thread.currentThread().isInterrupted());
    assertEquals(0, own.snapshot().open());
  }
}
