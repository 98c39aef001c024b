/** Delivery at a limited pace: an executor, and a queue with a target. */
@NullMarked
package dev.pacegate.dispatch;

import org.jspecify.annotations.NullMarked;
