/** The proxy beside others: what it costs, and what an upstream with a limit makes of each. */
package dev.pacegate.benchmarks.proxies;
