/** What a limiter does whatever its limit, and how it is controlled. */
@NullMarked
package dev.pacegate.limiter;

import org.jspecify.annotations.NullMarked;
