/**
 * Paced operators for Reactive Streams: Reactor, RxJava, Mutiny and the JDK's {@code Flow}. Begin
 * with {@link dev.pacegate.reactive.Pace}.
 */
@NullMarked
package dev.pacegate.reactive;

import org.jspecify.annotations.NullMarked;
