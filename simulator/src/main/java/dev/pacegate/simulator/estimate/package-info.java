/**
 * What a peer that estimates can have read: {@link dev.pacegate.simulator.estimate.EstimateAtMost},
 * a promise of which an {@link dev.pacegate.audit.Audit} tells the highest estimate in a log.
 *
 * <p>It knows neither the meters nor the simulated peers.
 */
@NullMarked
package dev.pacegate.simulator.estimate;

import org.jspecify.annotations.NullMarked;
