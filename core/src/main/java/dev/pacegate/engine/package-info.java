/**
 * The inside of a limiter: the gate's state, the wait queue, the permits. Not exported. Begin with
 * {@link dev.pacegate.engine.Engine}.
 */
@NullMarked
package dev.pacegate.engine;

import org.jspecify.annotations.NullMarked;
