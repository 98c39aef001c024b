/**
 * The threads that Pacegate starts itself. Not exported. Begin with {@link
 * dev.pacegate.thread.TimerThread}.
 */
@NullMarked
package dev.pacegate.thread;

import org.jspecify.annotations.NullMarked;
