/**
 * Events for JDK Flight Recorder. The only package that sees the module {@code jdk.jfr}, which a
 * program need not have.
 */
@NullMarked
package dev.pacegate.flight;

import org.jspecify.annotations.NullMarked;
