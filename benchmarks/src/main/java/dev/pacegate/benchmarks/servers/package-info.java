/** Servers of other makers, each a process of its own for the length of a measurement. */
package dev.pacegate.benchmarks.servers;
