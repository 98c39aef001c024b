/**
 * One stay inside the gate, and what it leads to outside: threads to wake, alarms, tasks. Not
 * exported.
 */
@NullMarked
package dev.pacegate.engine.visit;

import org.jspecify.annotations.NullMarked;
