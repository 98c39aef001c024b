package dev.pacegate.dispatch;

/**
 * A message and who sent it, for a {@link Throttler} whose target answers.
 *
 * @param <M> the message
 * @param <S> who sent it
 * @param message what was sent
 * @param sender who sent it
 */
public record Envelope<M, S>(M message, S sender) {}
