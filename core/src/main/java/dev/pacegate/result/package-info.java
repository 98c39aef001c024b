/**
 * What a job and its result or failure say of its request, and so how its permit ends. Not
 * exported. Begin with {@link dev.pacegate.result.JobResult} and {@link
 * dev.pacegate.result.FailureReading}.
 */
@NullMarked
package dev.pacegate.result;

import org.jspecify.annotations.NullMarked;
