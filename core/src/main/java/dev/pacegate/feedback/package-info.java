/**
 * Feedback from the peer: rate-limit headers and refusals in its answers, applied to a limiter.
 * Begin with {@link dev.pacegate.feedback.Feedback}; {@link dev.pacegate.feedback.AnswerReader}
 * reads other headers.
 */
@NullMarked
package dev.pacegate.feedback;

import org.jspecify.annotations.NullMarked;
