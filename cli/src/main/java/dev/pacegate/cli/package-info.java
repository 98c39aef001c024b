/**
 * The command {@code pacegate}: one class for each of its commands, none of which knows more of a
 * limiter than its public face.
 *
 * <p>Start with {@link dev.pacegate.cli.Main}, then {@code Pipe} and {@code Pump}.
 */
@NullMarked
package dev.pacegate.cli;

import org.jspecify.annotations.NullMarked;
