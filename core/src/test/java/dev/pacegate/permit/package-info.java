/** Permits from their release to their end. */
@NullMarked
package dev.pacegate.permit;

import org.jspecify.annotations.NullMarked;
