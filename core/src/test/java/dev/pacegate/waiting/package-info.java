/** Who waits: order, lanes, futures, threads, and wake-ups. */
@NullMarked
package dev.pacegate.waiting;

import org.jspecify.annotations.NullMarked;
