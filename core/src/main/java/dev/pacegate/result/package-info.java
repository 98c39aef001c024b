/**
 * Classification of a job's result or failure. Not exported. Begin with {@link
 * dev.pacegate.result.ResultKind} and {@link dev.pacegate.result.FailureReading}.
 */
@NullMarked
package dev.pacegate.result;

import org.jspecify.annotations.NullMarked;
