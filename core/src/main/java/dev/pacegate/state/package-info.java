/** What was released, kept in a file, so that a limiter resumes it. Not exported. */
package dev.pacegate.state;
