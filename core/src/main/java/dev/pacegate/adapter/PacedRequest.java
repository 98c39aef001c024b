package dev.pacegate.adapter;

import static java.util.Objects.requireNonNull;

import dev.pacegate.FailureClassifier;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.Permit;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import dev.pacegate.time.NanoClock;
import java.io.Closeable;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One request on the wire, and its permit. The adapter reports what happens:
 *
 * <ol>
 *   <li>{@link #sending}, immediately before the request is sent;
 *   <li>{@link #received}, when the response is there (or {@link #headers} before it, if the client
 *       reports the headers earlier). Then it asks {@link #shouldRetry};
 *   <li>the end, in any order with the above: {@link #bodyEnded}, {@link #aborted}, {@link #failed}
 *       or {@link #notSent}. Only the first end counts. Each request must get one.
 * </ol>
 *
 * <p>The end of the body ends the permit once the response is known, too: until {@link #received}
 * or {@link #superseded} the permit stays open. The other ends need no response.
 *
 * <p>What the response says reaches the limiter before the permit ends, and so does the settled
 * cost. A function of the user that reads responses never makes a method throw; one that chooses
 * retries may. Thread-safe: events may come from several threads, but {@link #received} not before
 * {@link #headers} has returned.
 *
 * @param <R> the client's type of a response
 */
public final class PacedRequest<R> {

  private final RequestPacing<?, R> pacing;
  private final Limiter limiter;
  private final Permit permit;
  private final Predicate<PeerAnswer> retries; // counts a retry if it accepts
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile @Nullable BodyText text; // null if it is not read

  // Guarded by this.
  private boolean hasHeaders;
  private boolean isEventStream;
  private PeerAnswer content = PeerAnswer.NOTHING; // what the answer says
  private @Nullable Answer unreported; // the answer, until the limiter has heard its content
  private boolean bodyIn;
  private boolean awaitsResponse = true; // the permit does not end with the body alone
  private boolean givenUp; // aborted, failed or not sent
  private boolean shouldRetry;
  private @Nullable R response; // that is settled

  PacedRequest(
      RequestPacing<?, R> pacing, Limiter limiter, Permit permit, Predicate<PeerAnswer> retries) {
    this.pacing = pacing;
    this.limiter = limiter;
    this.permit = permit;
    this.retries = retries;
  }

  /** The request is sent now. See {@link Permit#sending}. */
  public void sending() {
    permit.sending();
  }

  /**
   * The status and headers of the response are in. Needed only if the client reports them before it
   * has the response that is given to {@link #received}. Only the first call counts, apart from
   * those with an informational status such as 103, which are ignored. If {@link #shouldRetry} is
   * true then, the response is neither received nor given to the caller.
   */
  public void headers(int status, Map<String, List<String>> headers) {
    if (isInformational(status) || !begins()) {
      return;
    }
    try {
      read(status, headers, PeerAnswer.NOTHING);
      if (!awaitsFunction()) {
        conclude();
      }
    } finally {
      if (pacing.functions.none()) {
        awaitsNoResponse();
      }
    }
  }

  /** The answer is still to come, unless the protocol is switched. */
  private static boolean isInformational(int status) {
    return status >= 100 && status < 200 && status != 101;
  }

  /** The permit does not end before the limiter has heard what the answer says. */
  private synchronized boolean begins() {
    boolean first = !hasHeaders;
    hasHeaders = true;
    return first;
  }

  private void read(int status, Map<String, List<String>> headers, PeerAnswer more) {
    BodyHeaders body = BodyHeaders.of(headers);
    text = pacing.functions.text(body, permit);
    synchronized (this) {
      isEventStream = body.isStream();
    }
    Feedback feedback = pacing.feedback;
    if (feedback != null) {
      var read = new Answer(status, headers, limiter.time().instant());
      PeerAnswer said = feedback.read(read).and(more);
      synchronized (this) {
        content = said;
        unreported = read;
      }
    }
  }

  /** Whether a function may add to what was read: not to a refusal that states its wait. */
  private boolean awaitsFunction() {
    PeerAnswer read = content();
    return pacing.functions.judge() && !(read.refused() && read.retryAfter().isPresent());
  }

  /**
   * Returns whether the function {@link PacingOptions#refused} is to read the body of this
   * response, so that an adapter that gives the caller a stream collects the body before {@link
   * #received}. Known when {@link #headers} has returned. False of a stream of events or lines of
   * JSON, which has no end to wait for, and of a refusal that states its wait.
   */
  public boolean shouldCollect() {
    return !isEventStream() && awaitsFunction();
  }

  /**
   * Returns whether the user's functions read bodies, so that an adapter that gives the caller a
   * stream keeps a copy of what passes: {@link PacingOptions#settle} reads it at the end.
   */
  public boolean shouldCopy() {
    return pacing.functions.any();
  }

  synchronized boolean isEventStream() {
    return isEventStream;
  }

  private void conclude() {
    report();
    if (pacing.endsAtHeaders) {
      answered();
    }
    decide();
  }

  /**
   * The response is there, as far as the user's functions read it: whole, or with a body that is
   * still to be read. {@link #shouldRetry} tells what becomes of it.
   */
  public void received(R response) {
    requireNonNull(response);
    MessageReader<?, R> messages = pacing.messages;
    try {
      if (begins()) {
        read(messages.status(response), messages.headers(response), messages.answer(response));
        if (!awaitsFunction()) {
          conclude();
        }
      }
      judge(response);
      if (!shouldRetry()) {
        synchronized (this) {
          this.response = response;
        }
      }
    } finally {
      awaitsNoResponse();
    }
  }

  /** Takes the answer along: a thread that gives up meanwhile must not report less. */
  private void judge(R response) {
    Answer judged = takeUnreported();
    if (judged != null) {
      PeerAnswer whole = pacing.functions.judge(response, content());
      synchronized (this) {
        content = whole;
      }
      report(judged);
      decide();
    }
  }

  private synchronized @Nullable Answer takeUnreported() {
    Answer taken = unreported;
    unreported = null;
    return taken;
  }

  private synchronized PeerAnswer content() {
    return content;
  }

  /** Decides whether the request is sent again, once. */
  private void decide() {
    if (!isGivenUp() && retries.test(content())) {
      synchronized (this) {
        shouldRetry = true;
      }
      superseded();
    }
  }

  /**
   * Returns whether the request is to be sent again, with another permit, because the peer refused
   * it. Then the adapter closes this response, which is not for the caller; it still gets its end.
   * False until the response or its headers are in, and for a request that was given up before.
   */
  public synchronized boolean shouldRetry() {
    return shouldRetry;
  }

  private synchronized boolean isGivenUp() {
    return givenUp;
  }

  /**
   * The response is not for the caller, as another request follows from its headers: a redirect, or
   * a round of authentication. The user's functions do not get it.
   */
  public void superseded() {
    text = null;
    report();
    awaitsNoResponse();
  }

  private void awaitsNoResponse() {
    synchronized (this) {
      awaitsResponse = false;
      if (!bodyIn) {
        return;
      }
    }
    answered();
  }

  /**
   * Bytes of the body have been received, which {@link PacingOptions#settleText} may read: in
   * order, one call at a time, none after the end, and none before {@link #headers} or {@link
   * #received}. The buffer's position stays as it is. {@link #body} calls it.
   */
  public void bodyPart(ByteBuffer part) {
    requireNonNull(part);
    BodyText read = text;
    if (read != null) {
      read.read(part);
    }
  }

  /** The whole body has been received, or there is none. It may come before the response. */
  public void bodyEnded() {
    synchronized (this) {
      bodyIn = true;
      if (awaitsResponse) {
        return;
      }
    }
    answered();
  }

  /**
   * The body will not be received to its end: the connection broke, or was closed. After {@link
   * #bodyEnded} the request is answered all the same, and its response is not waited for. So it is
   * if a stream of events has said that it is complete, or its gzip has ended: what decompresses it
   * reads no further.
   */
  public void aborted() {
    BodyText read = text;
    if (read != null && read.isComplete()) {
      synchronized (this) {
        bodyIn = true;
      }
    }
    cutShort(Permit::lost);
  }

  /** As {@link #aborted}, unless the whole body is in: then the response is still waited for. */
  void disconnected() {
    if (!hasBody()) {
      aborted();
    }
  }

  private synchronized boolean hasBody() {
    return bodyIn;
  }

  /**
   * The client has thrown {@code failure}; how the permit ends is classified by it. A failure to
   * send that comes after the headers is not that of this request, which is lost.
   */
  public void failed(Throwable failure) {
    requireNonNull(failure);
    boolean isOfAnother =
        hasHeaders() && FailureClassifier.standard().apply(failure) == Outcome.NOT_SENT;
    cutShort(isOfAnother ? Permit::lost : cut -> cut.failed(failure));
  }

  private synchronized boolean hasHeaders() {
    return hasHeaders;
  }

  private void cutShort(Consumer<Permit> end) {
    if (giveUp()) {
      awaitsNoResponse(); // answered, and the client failed with the answer
    } else if (over.compareAndSet(false, true)) {
      try {
        report();
      } finally {
        end.accept(permit);
      }
    }
  }

  /** The request was provably never sent. */
  public void notSent() {
    giveUp();
    if (over.compareAndSet(false, true)) {
      permit.notSent();
    }
  }

  /**
   * Corrects the cost of this request, for an adapter that learns it before the end, such as from
   * the last event of a streamed response. A function {@link PacingOptions#settle} still runs after
   * it. Ignored once the permit has ended. A cost that cannot be charged has no effect but that the
   * first one is logged. See {@link Permit#settle(Cost)}.
   */
  public void settle(Cost actual) {
    requireNonNull(actual);
    if (!over.get()) {
      pacing.functions.settle(permit, actual);
    }
  }

  /**
   * Returns a stream that reads {@code body} and reports its end: {@link #bodyEnded} once it is
   * read to the end, {@link #aborted} if reading fails. Closing it first reads what is left, up to
   * 64 KiB, and begins no read after a second; a body with more left is aborted. A read that waits
   * for the peer ends by the client's own time-out. Of a stream of events only what is there
   * already is read.
   */
  public InputStream body(InputStream body) {
    return new TrackedStream(requireNonNull(body), this, body);
  }

  /**
   * As {@link #body(InputStream)}, for a client whose streams read on to their end when they are
   * closed, which may be never. If one is closed before, {@code abort} is called in place of that:
   * it drops the connection.
   */
  public InputStream body(InputStream body, Closeable abort) {
    return new TrackedStream(requireNonNull(body), this, requireNonNull(abort));
  }

  NanoClock clock() {
    return limiter.time();
  }

  /** Returns whether the whole body has been received. */
  private synchronized boolean giveUp() {
    givenUp = true;
    return bodyIn;
  }

  private void answered() {
    if (over.compareAndSet(false, true)) {
      try {
        report();
        R settled;
        synchronized (this) {
          settled = response;
        }
        if (settled != null) {
          pacing.functions.settle(permit, settled);
        }
        BodyText read = text;
        Cost told = read == null ? null : read.end();
        if (told != null) {
          pacing.functions.settle(permit, told);
        }
      } finally {
        permit.answered();
      }
    }
  }

  /** Lets the limiter hear what the answer says, once. */
  private void report() {
    Answer answer = takeUnreported();
    if (answer != null) {
      report(answer);
    }
  }

  private void report(Answer answer) {
    Feedback feedback = pacing.feedback;
    if (feedback != null) {
      feedback.apply(limiter, permit, answer, content());
    }
  }
}
