/** How much more than its limit a peer gets from limiters, ours and others. */
package dev.pacegate.benchmarks.excess;
