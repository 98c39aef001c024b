/** What a limiter has let through, as far back as it matters to a new limit. Not exported. */
@NullMarked
package dev.pacegate.history;

import org.jspecify.annotations.NullMarked;
