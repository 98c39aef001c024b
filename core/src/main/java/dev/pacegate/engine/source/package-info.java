/**
 * What gives a limiter its permits from outside: its link to a source, and errands for it. Not
 * exported. Begin with {@link dev.pacegate.engine.source.Feed}.
 */
@NullMarked
package dev.pacegate.engine.source;

import org.jspecify.annotations.NullMarked;
