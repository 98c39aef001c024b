package dev.pacegate;

import java.util.List;

/** What {@link Limiters} tell of a file that they have read. */
record Reloaded(List<String> changed, List<String> added, List<String> missing) implements Reload {}
