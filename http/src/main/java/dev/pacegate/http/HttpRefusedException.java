package dev.pacegate.http;

import dev.pacegate.adapter.NotSentException;
import java.io.IOException;

/**
 * Thrown if a request can get no permit, however long it waits: the limiter is closed, its wait
 * queue is full, or the cost can never pass. The request was not sent and nothing was charged.
 */
public final class HttpRefusedException extends IOException {

  private static final long serialVersionUID = 1;

  HttpRefusedException(NotSentException why) {
    super(why.getMessage(), why.getCause());
  }
}
