/** What a limiter has let through, as far back as it matters to a limit that takes over. */
package dev.pacegate.history;
