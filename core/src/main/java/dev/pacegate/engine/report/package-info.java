/** What a limiter tells its listener, the log and Flight Recorder. Not exported. */
@NullMarked
package dev.pacegate.engine.report;

import org.jspecify.annotations.NullMarked;
