/**
 * The JDK's {@link java.net.http.HttpClient} with a permit for every request on the wire. Begin
 * with {@link dev.pacegate.http.PacedHttpClient}.
 */
@NullMarked
package dev.pacegate.http;

import org.jspecify.annotations.NullMarked;
