/**
 * Limits as immutable values, with their text form and their meters, which keep the state. Begin
 * with {@link dev.pacegate.limit.Limits} to create a limit; then read {@link
 * dev.pacegate.limit.Limit} and one kind of limit, such as {@link dev.pacegate.limit.Window}.
 */
@NullMarked
package dev.pacegate.limit;

import org.jspecify.annotations.NullMarked;
