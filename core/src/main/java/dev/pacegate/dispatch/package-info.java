/**
 * Executors and queues that work at a limited pace. Begin with {@link
 * dev.pacegate.dispatch.ThrottledExecutorService} for tasks, or {@link
 * dev.pacegate.dispatch.Throttler} for a queue of messages with a target.
 */
@NullMarked
package dev.pacegate.dispatch;

import org.jspecify.annotations.NullMarked;
