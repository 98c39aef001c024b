/**
 * Limits as values, their meters (the state, passive) and the text form.
 *
 * <p>Start with {@link dev.pacegate.limit.Limits}, then {@link dev.pacegate.limit.Limit} and one
 * rule with its meter, such as {@link dev.pacegate.limit.Window}.
 */
@NullMarked
package dev.pacegate.limit;

import org.jspecify.annotations.NullMarked;
