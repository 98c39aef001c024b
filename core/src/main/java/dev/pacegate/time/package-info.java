/**
 * Time as Pacegate sees it: a clock to read, a timer to be called by, and a hand-driven stand-in
 * for tests.
 */
package dev.pacegate.time;
