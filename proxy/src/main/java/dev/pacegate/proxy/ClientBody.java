package dev.pacegate.proxy;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request. A part of it is read before the request is sent: a connection from which
 * nothing is read does not show that its client has gone. Confined to the event loop.
 */
final class ClientBody {

  /** How much is read before there is a permit. */
  static final int MOST_AHEAD = 64 * 1024;

  private final HttpServerRequest request;
  private final ClientMemory memory;
  private Buffer ahead = Buffer.buffer(); // in one piece: clients may send bytes one by one
  private int taken; // of the memory
  private boolean begun;
  private boolean ended;
  private boolean dropped;
  private @Nullable Runnable ready;
  private Runnable arrived = () -> {};
  private @Nullable HttpClientRequest target;
  private Runnable passed = () -> {};
  private Runnable sent = () -> {};

  ClientBody(HttpServerRequest request, ClientMemory memory) {
    this.request = request;
    this.memory = memory;
    request.handler(this::read);
    request.endHandler(end -> end());
  }

  boolean isEnded() {
    return ended;
  }

  boolean hasBegun() {
    return begun;
  }

  /**
   * Runs {@code task} once the body is in, or as much of it as is read ahead.
   *
   * @param arrived runs whenever a part of it is read ahead
   */
  void whenReady(Runnable task, Runnable arrived) {
    ready = task;
    this.arrived = arrived;
    if (ended) {
      tellReady();
    }
  }

  private void tellReady() {
    Runnable task = ready;
    ready = null;
    if (task != null) {
      task.run();
    }
  }

  private void read(Buffer part) {
    begun = true;
    if (dropped) {
      return;
    }
    HttpClientRequest to = target;
    if (to != null) {
      write(to, part);
      return;
    }
    arrived.run();
    ahead.appendBuffer(part);
    take(2 * part.length()); // the buffer doubles when it grows
    if (ahead.length() >= MOST_AHEAD || memory.isFull()) {
      pause();
      take(Http2Bounds.STREAM_WINDOW); // so much may come before the client knows
      tellReady();
    }
  }

  private void take(int bytes) {
    taken += bytes;
    memory.take(bytes);
  }

  private void write(HttpClientRequest to, Buffer part) {
    passed.run();
    to.write(part);
    if (to.writeQueueFull() && !ended) {
      pause();
      to.drainHandler(
          drained -> {
            passed.run();
            resume();
          });
    }
  }

  /** After its end, which may be a reset stream, a request can be neither paused nor resumed. */
  private void pause() {
    if (!request.isEnded()) {
      request.pause();
    }
  }

  private void resume() {
    if (!request.isEnded()) {
      request.resume();
    }
  }

  private void end() {
    ended = true;
    HttpClientRequest to = target;
    if (to != null && !dropped) {
      endOf(to);
    }
    tellReady();
  }

  private void endOf(HttpClientRequest to) {
    sent.run();
    passed.run();
    to.end();
  }

  /**
   * Sends what was read, and then the rest as it comes.
   *
   * @param passed runs whenever some of it has been sent
   * @param sent runs when all of it has been sent
   */
  void sendTo(HttpClientRequest to, Runnable passed, Runnable sent) {
    this.passed = passed;
    this.sent = sent;
    target = to;
    Buffer first = takeAhead();
    if (ended && first.length() == 0) {
      endOf(to);
      return;
    }
    if (!to.headers().contains("Content-Length")) {
      to.setChunked(true);
    }
    if (!ended) {
      to.sendHead(); // even if nothing of the body is here yet
    }
    if (first.length() > 0) {
      to.write(first);
    }
    if (ended) {
      endOf(to);
    } else if (to.writeQueueFull()) {
      to.drainHandler(drained -> resume());
    } else {
      resume();
    }
  }

  /** Gives back what was read ahead and is not to be sent. */
  void release() {
    takeAhead();
  }

  private Buffer takeAhead() {
    Buffer first = ahead;
    memory.give(taken);
    taken = 0;
    ahead = Buffer.buffer();
    return first;
  }

  /** Reads the rest and drops it; {@code ended} runs at its end. */
  void drop(Runnable ended) {
    dropped = true;
    ready = ended;
    target = null;
    resume();
  }
}
