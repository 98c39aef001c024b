/** A job sees the thread-locals of its caller. */
@NullMarked
package dev.pacegate.context;

import org.jspecify.annotations.NullMarked;
