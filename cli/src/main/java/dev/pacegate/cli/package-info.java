/**
 * The command {@code pacegate}: one class for each of its commands, built on the public API of
 * limiters. Begin with {@link dev.pacegate.cli.Main}, then {@code Pipe} and {@code Pump}.
 */
@NullMarked
package dev.pacegate.cli;

import org.jspecify.annotations.NullMarked;
