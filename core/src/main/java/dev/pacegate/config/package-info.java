/** Limits in a file, and the watch over it. Not exported. */
@NullMarked
package dev.pacegate.config;

import org.jspecify.annotations.NullMarked;
