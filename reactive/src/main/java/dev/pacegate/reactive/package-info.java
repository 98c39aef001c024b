/**
 * Operators for Reactive Streams, paced: from Reactor, RxJava, Mutiny and the JDK's {@code Flow}.
 *
 * <p>Start with {@link dev.pacegate.reactive.Pace}.
 */
@NullMarked
package dev.pacegate.reactive;

import org.jspecify.annotations.NullMarked;
