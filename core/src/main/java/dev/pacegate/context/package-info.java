/** The context of a caller, and how it reaches the thread that runs its job. */
@NullMarked
package dev.pacegate.context;

import org.jspecify.annotations.NullMarked;
