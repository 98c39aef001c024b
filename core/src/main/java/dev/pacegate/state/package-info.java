/**
 * The state file: a log of releases from which the next process resumes a limiter. Not exported.
 * Begin with {@link dev.pacegate.state.SavedState}.
 */
@NullMarked
package dev.pacegate.state;

import org.jspecify.annotations.NullMarked;
