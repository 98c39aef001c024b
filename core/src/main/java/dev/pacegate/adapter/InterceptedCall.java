package dev.pacegate.adapter;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of a client that decides by itself what follows from a response: a redirect, a round of
 * authentication, a retry. Its adapter intercepts at three places, which report what they see:
 *
 * <ol>
 *   <li>before the client takes a connection: {@link #prepare} takes the permit of the request that
 *       is sent next, and {@link #withdraw} gives it back if none was sent after all;
 *   <li>before each request is sent: {@link #next} returns it, with the permit taken ahead, or with
 *       another if it is a further request;
 *   <li>where the call returns: {@link #received}, with the response that the caller gets, or
 *       {@link #failed}. Only then it is known that no other request followed.
 * </ol>
 *
 * <p>Used by one thread at a time, apart from {@link #cancel}.
 *
 * @param <Q> the client's type of a request
 * @param <R> the client's type of a response
 */
public final class InterceptedCall<Q, R> {

  private final MessageReader<Q, R> messages;
  private final PacedCall<Q, R> call;
  private final Supplier<? extends IOException> cancellation;
  private @Nullable PacedRequest<R> prepared; // has its permit, and is not sent yet
  private String host = ""; // of the prepared one
  private volatile @Nullable PacedRequest<R> sent; // the last one
  private boolean superseded; // the last one

  // Guarded by this.
  private @Nullable Thread waiting;
  private boolean cancelled;

  /**
   * Begins a call, as {@link RequestPacing#newCall} does.
   *
   * @param cancellation makes the client's exception of a call that was cancelled
   */
  public InterceptedCall(RequestPacing<Q, R> pacing, Supplier<? extends IOException> cancellation) {
    this.messages = pacing.messages;
    this.call = pacing.newCall();
    this.cancellation = requireNonNull(cancellation);
  }

  /**
   * Waits for the permit of the request that is to be sent next. No response before it is the
   * caller's.
   *
   * @throws InterruptedIOException if there is none in time, or at all, as clients repeat other I/O
   *     errors: see {@link #reported}; or if the thread is interrupted, and it stays so
   * @throws IOException if the call was or is cancelled
   */
  public void prepare(Q request) throws IOException {
    superseded();
    withdraw();
    prepared = acquire(request);
    host = messages.host(request);
  }

  /** Gives back the permit that was taken ahead, if nothing was sent with it. */
  public void withdraw() {
    if (prepared != null) {
      prepared.notSent();
      prepared = null;
    }
  }

  /**
   * Returns the request that is sent now. It waits for a permit if none was taken ahead, or if that
   * is for another host, as after a redirect from a cache.
   *
   * @throws IOException as {@link #prepare} does
   */
  public PacedRequest<R> next(Q request) throws IOException {
    superseded();
    if (prepared != null && (isCancelled() || !messages.host(request).equals(host))) {
      withdraw();
    }
    PacedRequest<R> next = prepared == null ? acquire(request) : prepared;
    prepared = null;
    superseded = false;
    sent = next;
    return next;
  }

  private PacedRequest<R> acquire(Q request) throws IOException {
    try {
      startWaiting();
      PacedRequest<R> granted = call.acquire(request);
      if (!stopWaiting()) {
        return granted;
      }
      granted.notSent();
    } catch (NotSentException none) {
      throw (IOException) new InterruptedIOException(none.getMessage()).initCause(none);
    } catch (InterruptedException stopped) {
      if (!stopWaiting()) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while waiting for a permit");
      }
    } finally {
      stopWaiting();
    }
    throw cancellation.get();
  }

  /** Returns what the caller gets for a failure of the call: a {@link NotSentException} as such. */
  public static IOException reported(IOException failure) {
    return requireNonNull(failure) instanceof InterruptedIOException stopped
            && stopped.getCause() instanceof NotSentException none
        ? none
        : failure;
  }

  private synchronized void startWaiting() throws IOException {
    if (cancelled) {
      throw cancellation.get();
    }
    waiting = Thread.currentThread();
  }

  private synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Returns whether the call was cancelled, and takes back the interrupt by which it was. */
  private synchronized boolean stopWaiting() {
    if (waiting != null && cancelled) {
      Thread.interrupted();
    }
    waiting = null;
    return cancelled;
  }

  /** The response is for the caller, unless {@link #shouldRetry}. It is of the last request. */
  public void received(R response) {
    requireNonNull(response);
    PacedRequest<R> last = sent;
    if (last != null && !superseded) {
      last.received(response);
    }
  }

  /** The last response is not for the caller, who gets another, such as one from a cache. */
  public void superseded() {
    PacedRequest<R> last = sent;
    if (last != null) {
      last.superseded();
      superseded = true;
    }
  }

  /** Returns whether the last request is to be sent again: see {@link PacedRequest#shouldRetry}. */
  public boolean shouldRetry() {
    PacedRequest<R> last = sent;
    return last != null && !superseded && last.shouldRetry();
  }

  /** The call has failed. A response that the caller would have got is closed before. */
  public void failed(Throwable failure) {
    requireNonNull(failure);
    withdraw();
    PacedRequest<R> last = sent;
    if (last != null) {
      last.failed(failure);
    }
  }

  /** Nothing more is read of the last response: its connection was dropped, perhaps at its end. */
  public void disconnected() {
    PacedRequest<R> last = sent;
    if (last != null) {
      last.disconnected();
    }
  }

  /**
   * The user cancels the call: it leaves the queue, and waits no more. What has been sent is
   * aborted. Any thread may call this, at any time; it does not block.
   */
  public void cancel() {
    synchronized (this) {
      cancelled = true;
      if (waiting != null) {
        waiting.interrupt();
      }
    }
    disconnected();
  }
}
