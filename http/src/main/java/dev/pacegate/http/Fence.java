package dev.pacegate.http;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A request's body that can be sent once.
 *
 * <p>A client asks a body for its length immediately before it writes the headers, once for each
 * time that it sends the request. So this is where to see whether anything was sent, to prevent
 * that it will be, and to prevent that it is sent again: the JDK's client repeats a GET, of its own
 * accord and unseen, if the connection ends before an answer, and the peer has then counted two.
 */
final class Fence implements BodyPublisher {

  private enum State {
    OPEN, // nothing has been sent
    PASSED, // once
    HIT, // once, and somebody tried again
    SHUT // nothing has been sent, and nothing will be
  }

  private final BodyPublisher body;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

  Fence(BodyPublisher body) {
    this.body = body;
  }

  /** A fence around a request without a body. */
  Fence() {
    this(BodyPublishers.noBody());
  }

  @Override
  public long contentLength() {
    if (!state.compareAndSet(State.OPEN, State.PASSED)) {
      state.compareAndSet(State.PASSED, State.HIT);
      throw new IllegalStateException("not sent again: that takes another permit");
    }
    return body.contentLength();
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    body.subscribe(subscriber);
  }

  /** Lets nobody through any more; returns whether anybody had gone through. */
  boolean shut() {
    return !state.compareAndSet(State.OPEN, State.SHUT) && state.get() != State.SHUT;
  }

  /** Returns whether the client tried to send the request again. */
  boolean wasHit() {
    return state.get() == State.HIT;
  }
}
