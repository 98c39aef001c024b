package dev.pacegate.history;

import dev.pacegate.limit.Cost;

/**
 * A request whose permit is open while the limit changes.
 *
 * @param startedAt when it was released
 * @param cost the cost charged
 */
public record OpenRequest(long startedAt, Cost cost) {}
