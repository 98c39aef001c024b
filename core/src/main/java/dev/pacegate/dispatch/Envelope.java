package dev.pacegate.dispatch;

/**
 * A message with its sender, for a {@link Throttler} whose target replies.
 *
 * @param <M> the type of the message
 * @param <S> the type of the sender
 * @param message the message
 * @param sender the sender
 */
public record Envelope<M, S>(M message, S sender) {}
