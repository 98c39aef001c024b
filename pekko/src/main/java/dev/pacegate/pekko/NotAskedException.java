package dev.pacegate.pekko;

/** The question to a target could not be made, so nothing was sent. The cause says why. */
final class NotAskedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  NotAskedException(Throwable cause) {
    super(cause);
  }
}
