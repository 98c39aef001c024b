package dev.pacegate.engine;

import org.jspecify.annotations.Nullable;

/**
 * What a lane is called, and how it stands beside others.
 *
 * @param weight how fast its turn comes again
 * @param percent how much of the limit is reserved for it
 * @param reserve the pool of that, where there is any
 */
record Standing(String name, int weight, int percent, @Nullable Pool reserve) {}
