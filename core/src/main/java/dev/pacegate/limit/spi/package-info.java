/** What a limit of your own implements; to use limits it is not needed. */
@NullMarked
package dev.pacegate.limit.spi;

import org.jspecify.annotations.NullMarked;
