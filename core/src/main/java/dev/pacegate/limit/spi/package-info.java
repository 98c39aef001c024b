/** What a limit of your own implements; nobody who only uses limits needs it. */
@NullMarked
package dev.pacegate.limit.spi;

import org.jspecify.annotations.NullMarked;
