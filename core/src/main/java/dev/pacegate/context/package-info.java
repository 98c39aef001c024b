/**
 * The context of a caller, such as its thread-locals, on the thread that runs its job: {@link
 * dev.pacegate.context.ContextPropagator}.
 */
@NullMarked
package dev.pacegate.context;

import org.jspecify.annotations.NullMarked;
