/**
 * The lanes of keys: made when a key is first used, dropped when it is at rest. Not exported. Begin
 * with {@link dev.pacegate.engine.keys.KeyLanes}.
 */
@NullMarked
package dev.pacegate.engine.keys;

import org.jspecify.annotations.NullMarked;
