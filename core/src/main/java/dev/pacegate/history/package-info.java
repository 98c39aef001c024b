/** What a limiter has let through, as far back as it matters to a limit that takes over. */
@NullMarked
package dev.pacegate.history;

import org.jspecify.annotations.NullMarked;
