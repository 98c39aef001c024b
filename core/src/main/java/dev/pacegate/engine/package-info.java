/** What goes on inside a limiter: the gate, the queue, the permits. Not exported. */
@NullMarked
package dev.pacegate.engine;

import org.jspecify.annotations.NullMarked;
