/** Which costs of requests the limits count, and what is said of others. Not exported. */
@NullMarked
package dev.pacegate.engine.cost;

import org.jspecify.annotations.NullMarked;
