/**
 * The audit: reads when things were released, or from when to when they were open, and says whether
 * a limit was kept, how full it got, and where.
 *
 * <p>It knows limits only by their {@linkplain dev.pacegate.limit.Promise promises} and shares no
 * code with the meters that keep them: it is what they are tested against. It streams, in memory
 * that does not grow with the length of the log.
 *
 * <p>Start with {@link dev.pacegate.audit.Audit}, then {@link dev.pacegate.audit.PromiseCheck} and
 * one class that implements it, such as {@code MostInAny}.
 */
@NullMarked
package dev.pacegate.audit;

import org.jspecify.annotations.NullMarked;
