package dev.pacegate;

import java.util.List;

/** What {@link Limiters} report after reading a file. */
record Reloaded(List<String> changed, List<String> added, List<String> missing) implements Reload {}
