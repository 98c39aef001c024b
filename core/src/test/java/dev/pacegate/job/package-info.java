/** Jobs that are run under a permit, and what their ends say. */
@NullMarked
package dev.pacegate.job;

import org.jspecify.annotations.NullMarked;
