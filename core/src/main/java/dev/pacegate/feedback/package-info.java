/**
 * What a peer's answers teach about its limits.
 *
 * <p>Start with {@link dev.pacegate.feedback.Feedback}.
 */
package dev.pacegate.feedback;
