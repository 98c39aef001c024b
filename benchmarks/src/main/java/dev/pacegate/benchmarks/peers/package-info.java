/** What real servers that refuse clients that are too fast make of clients, ours and others. */
package dev.pacegate.benchmarks.peers;
