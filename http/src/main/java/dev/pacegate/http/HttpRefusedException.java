package dev.pacegate.http;

import dev.pacegate.RefusedException;
import java.io.IOException;

/**
 * Thrown where a request gets no permit, however long it waits: the limiter is closed, its line is
 * full, or the cost can never pass. It was not sent and nothing was charged.
 */
public final class HttpRefusedException extends IOException {

  private static final long serialVersionUID = 1;

  HttpRefusedException(RefusedException why) {
    super("not sent: " + why.getMessage(), why);
  }
}
