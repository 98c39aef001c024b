/**
 * The audit: reads from a log when requests started and ended, and reports whether a limit was
 * kept, how close it came, and where. Begin with {@link dev.pacegate.audit.Audit}.
 *
 * <p>It knows limits only by their {@linkplain dev.pacegate.limit.Promise promises} and shares no
 * code with the meters that keep them, which are tested against it. Each kind of promise has a
 * {@link dev.pacegate.audit.PromiseCheck}, such as {@code MostInAny}.
 */
@NullMarked
package dev.pacegate.audit;

import org.jspecify.annotations.NullMarked;
