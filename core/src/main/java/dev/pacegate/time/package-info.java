/**
 * Time as Pacegate sees it: a clock to read, a timer to be called by, and a hand-driven stand-in
 * for tests.
 */
@NullMarked
package dev.pacegate.time;

import org.jspecify.annotations.NullMarked;
