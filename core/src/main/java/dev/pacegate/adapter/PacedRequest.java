package dev.pacegate.adapter;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.Permit;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.time.NanoClock;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request on the wire, and its permit. The adapter tells it what happens:
 *
 * <ol>
 *   <li>{@link #sending}, immediately before the request is sent;
 *   <li>{@link #received}, when the response is there (or {@link #headers} before it, if the client
 *       tells of the headers earlier);
 *   <li>how it ends, in any order with the above: {@link #bodyEnded}, {@link #brokenOff}, {@link
 *       #failed} or {@link #notSent}. Only the first end counts. Each request must get one.
 * </ol>
 *
 * <p>The end of the body ends the permit once the response is known, too: until {@link #received}
 * or {@link #followed} the permit stays open. The other ends need no response.
 *
 * <p>What the response says reaches the limiter before the permit ends, and so does the settled
 * cost. A function of the user that reads responses never makes a method throw; one that chooses
 * retries may. Thread-safe: events may come from several threads.
 *
 * @param <R> the client's type of a response
 */
public final class PacedRequest<R> {

  /** Decides whether a request that got such an answer is sent again, and counts it if so. */
  @FunctionalInterface
  interface Repetition {
    boolean follows(PeerAnswer said);
  }

  private final RequestPacing<?, R> pacing;
  private final Limiter limiter;
  private final Permit permit;
  private final Repetition repetition;
  private final AtomicBoolean over = new AtomicBoolean();

  // Guarded by this.
  private boolean hasHeaders;
  private PeerAnswer said = PeerAnswer.NOTHING;
  private @Nullable Answer unheard; // the answer, until the limiter has heard what it says
  private boolean bodyIn;
  private boolean awaited = true; // the permit does not end with the body alone
  private @Nullable R response; // that is settled

  PacedRequest(RequestPacing<?, R> pacing, Limiter limiter, Permit permit, Repetition repetition) {
    this.pacing = pacing;
    this.limiter = limiter;
    this.permit = permit;
    this.repetition = repetition;
  }

  /** The request is sent now. See {@link Permit#sending}. */
  public void sending() {
    permit.sending();
  }

  /**
   * The status and headers of the response are in. Needed only if the client tells of them before
   * it has the response that is given to {@link #received}. Only the first call counts, apart from
   * those with an informational status such as 103, which are ignored.
   *
   * @return whether the request is to be sent again, with another permit; then this response is
   *     neither received nor given to the caller
   */
  public boolean headers(int status, Map<String, List<String>> headers) {
    if (isInformational(status) || !begins()) {
      return false;
    }
    try {
      read(new Answer(status, headers, limiter.time().instant()));
      if (saysMore()) {
        return false;
      }
      hear();
      if (pacing.endsAtHeaders) {
        answered();
      }
      return repeats();
    } finally {
      if (!pacing.functions.any()) {
        notAwaited();
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

  private void read(Answer read) {
    Feedback feedback = pacing.feedback;
    if (feedback != null) {
      PeerAnswer says = feedback.read(read);
      synchronized (this) {
        said = says;
        unheard = read;
      }
    }
  }

  /** Whether a function may add to what the headers say: not to a refusal that states its wait. */
  private boolean saysMore() {
    PeerAnswer says = said();
    return pacing.functions.judge() && !(says.refused() && says.retryAfter().isPresent());
  }

  /**
   * The response is there, as far as the user's functions read it: whole, or with a body that is
   * still to be read.
   *
   * @return whether the request is to be sent again, with another permit. Then the adapter closes
   *     this response, as it is not for the caller; it still gets its end
   */
  public boolean received(R response) {
    requireNonNull(response);
    ClientTypes<?, R> types = pacing.types;
    try {
      if (!hasHeaders() && headers(types.status(response), types.headers(response))) {
        return true;
      }
      if (isUnheard() && judgedAgain(response)) {
        return true;
      }
      synchronized (this) {
        this.response = response;
      }
      return false;
    } finally {
      notAwaited();
    }
  }

  private synchronized boolean hasHeaders() {
    return hasHeaders;
  }

  private boolean judgedAgain(R response) {
    PeerAnswer judged = pacing.functions.judge(response, said());
    synchronized (this) {
      said = judged;
    }
    hear();
    return repeats();
  }

  private synchronized boolean isUnheard() {
    return unheard != null;
  }

  private synchronized PeerAnswer said() {
    return said;
  }

  /** A response that is not for the caller: its cost stays at the estimate. */
  private boolean repeats() {
    boolean again = repetition.follows(said());
    if (again) {
      followed();
    }
    return again;
  }

  /**
   * The response is not for the caller, as another request follows from its headers: a redirect, or
   * a round of authentication. The user's functions do not get it.
   */
  public void followed() {
    hear();
    notAwaited();
  }

  private void notAwaited() {
    synchronized (this) {
      awaited = false;
      if (!bodyIn) {
        return;
      }
    }
    answered();
  }

  /** The whole body has been received, or there is none. It may come before the response. */
  public void bodyEnded() {
    synchronized (this) {
      bodyIn = true;
      if (awaited) {
        return;
      }
    }
    answered();
  }

  /**
   * The body will not be received to its end: the connection broke, or it was closed. After {@link
   * #bodyEnded} the request is answered all the same, and its response is not waited for.
   */
  public void brokenOff() {
    cutShort(Permit::lost);
  }

  /** The client has thrown {@code failure}; how the permit ends is classified by it. */
  public void failed(Throwable failure) {
    requireNonNull(failure);
    cutShort(cut -> cut.failed(failure));
  }

  private void cutShort(Consumer<Permit> end) {
    if (hasBody()) {
      notAwaited(); // answered, and the client failed with the answer
    } else if (over.compareAndSet(false, true)) {
      try {
        hear();
      } finally {
        end.accept(permit);
      }
    }
  }

  /** The request was provably never sent. */
  public void notSent() {
    if (over.compareAndSet(false, true)) {
      permit.notSent();
    }
  }

  /**
   * Returns {@code body} such that its end is the end of the body: read to the end, or closed,
   * which reads a rest of less than 64 KiB, for no longer than a second. A body that fails, or that
   * has a longer rest, is broken off.
   */
  public InputStream body(InputStream body) {
    return new TrackedStream(requireNonNull(body), this);
  }

  NanoClock clock() {
    return limiter.time();
  }

  private synchronized boolean hasBody() {
    return bodyIn;
  }

  private void answered() {
    if (over.compareAndSet(false, true)) {
      try {
        hear();
        R settled;
        synchronized (this) {
          settled = response;
        }
        if (settled != null) {
          pacing.functions.settle(permit, settled);
        }
      } finally {
        permit.answered();
      }
    }
  }

  /** Lets the limiter hear what the answer says, once. */
  private void hear() {
    Answer heard;
    PeerAnswer what;
    synchronized (this) {
      heard = unheard;
      what = said;
      unheard = null;
    }
    Feedback feedback = pacing.feedback;
    if (heard != null && feedback != null) {
      feedback.apply(limiter, permit, heard, what);
    }
  }
}
