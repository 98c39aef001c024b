/**
 * The interfaces behind a limit, which you implement to write a limit of your own. Begin with
 * {@link dev.pacegate.limit.spi.MeterProvider}; to use the limits there are, this package is not
 * needed.
 */
@NullMarked
package dev.pacegate.limit.spi;

import org.jspecify.annotations.NullMarked;
