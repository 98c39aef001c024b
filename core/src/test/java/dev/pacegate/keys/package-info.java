/** Keyed limiters. */
@NullMarked
package dev.pacegate.keys;

import org.jspecify.annotations.NullMarked;
