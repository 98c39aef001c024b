/**
 * What a peer's answers teach about its limits.
 *
 * <p>Start with {@link dev.pacegate.feedback.Feedback}.
 */
@NullMarked
package dev.pacegate.feedback;

import org.jspecify.annotations.NullMarked;
