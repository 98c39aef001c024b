/** What the operations of a limiter cost as more and more keys wait. */
@NullMarked
package dev.pacegate.benchmarks.growth;

import org.jspecify.annotations.NullMarked;
