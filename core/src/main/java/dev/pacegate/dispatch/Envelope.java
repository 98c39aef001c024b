package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;

/**
 * A message with its sender, for a {@link Throttler} whose target replies.
 *
 * @param <M> the type of the message
 * @param <S> the type of the sender
 * @param message the message
 * @param sender the sender
 */
public record Envelope<M, S>(M message, S sender) {

  /** Checks that no component is null. */
  public Envelope {
    requireNonNull(message);
    requireNonNull(sender);
  }
}
