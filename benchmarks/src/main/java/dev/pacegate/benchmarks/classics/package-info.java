/** The old libraries and ours, side by side: what is the same, what is better, what differs. */
package dev.pacegate.benchmarks.classics;
