package dev.pacegate.apache;

import dev.pacegate.adapter.NotSentException;
import java.io.InterruptedIOException;

/** Passes a {@link NotSentException} by HttpClient's retries, which repeat other I/O errors. */
final class NoPermitException extends InterruptedIOException {

  private static final long serialVersionUID = 1;

  private final NotSentException reason;

  NoPermitException(NotSentException reason) {
    super(reason.getMessage());
    initCause(reason);
    this.reason = reason;
  }

  NotSentException reason() {
    return reason;
  }
}
