/**
 * Figures of limiters for Micrometer, and so for Prometheus and others. Begin with {@link
 * dev.pacegate.micrometer.LimiterMetrics}.
 */
@NullMarked
package dev.pacegate.micrometer;

import org.jspecify.annotations.NullMarked;
