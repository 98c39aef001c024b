/**
 * What the result or the failure of a job says of its request. Not exported.
 *
 * <p>Start with {@link dev.pacegate.result.ResultKind} and {@link
 * dev.pacegate.result.FailureReading}.
 */
@NullMarked
package dev.pacegate.result;

import org.jspecify.annotations.NullMarked;
