/** A limit that changes while a limiter is in use. */
@NullMarked
package dev.pacegate.change;

import org.jspecify.annotations.NullMarked;
