/**
 * What the engine makes of what a peer says. Not exported. Begin with {@link
 * dev.pacegate.engine.feedback.PeerReport}.
 */
@NullMarked
package dev.pacegate.engine.feedback;

import org.jspecify.annotations.NullMarked;
