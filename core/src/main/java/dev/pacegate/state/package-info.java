/** What was released, kept in a file, so that a limiter resumes it. Not exported. */
@NullMarked
package dev.pacegate.state;

import org.jspecify.annotations.NullMarked;
