/**
 * The releases that a new limit must know of when it replaces another. Not exported. Begin with
 * {@link dev.pacegate.history.ChangedMeter}.
 */
@NullMarked
package dev.pacegate.history;

import org.jspecify.annotations.NullMarked;
