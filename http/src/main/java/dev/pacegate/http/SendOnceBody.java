package dev.pacegate.http;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A request's body that can be sent once.
 *
 * <p>A client asks a body for its length immediately before it writes the headers, each time that
 * it sends the request. So this method can tell whether anything was sent, and can prevent that it
 * is sent at all or again. The JDK's client repeats a GET unseen if the connection ends before an
 * answer; the peer has then counted two requests.
 */
final class SendOnceBody implements BodyPublisher {

  private enum BodyState {
    OPEN, // the request was not sent
    SENT, // once
    REPEATED, // once, and the client tried to send it again
    SHUT // the request was not sent, and will not be
  }

  private final BodyPublisher body;
  private final AtomicReference<BodyState> state = new AtomicReference<>(BodyState.OPEN);

  SendOnceBody(BodyPublisher body) {
    this.body = body;
  }

  /** Makes one for a request without a body. */
  SendOnceBody() {
    this(BodyPublishers.noBody());
  }

  @Override
  public long contentLength() {
    if (!state.compareAndSet(BodyState.OPEN, BodyState.SENT)) {
      state.compareAndSet(BodyState.SENT, BodyState.REPEATED);
      throw new IllegalStateException("not sent again: another sending needs another permit");
    }
    return body.contentLength();
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    body.subscribe(subscriber);
  }

  /** Prevents any sending from now on; returns whether the request had been sent. */
  boolean shut() {
    return !state.compareAndSet(BodyState.OPEN, BodyState.SHUT) && state.get() != BodyState.SHUT;
  }

  /** Returns whether the client tried to send the request again. */
  boolean wasRepeated() {
    return state.get() == BodyState.REPEATED;
  }
}
