/**
 * The JDK's {@link java.net.http.HttpClient}, paced.
 *
 * <p>Start with {@link dev.pacegate.http.PacedHttpClient}.
 */
@NullMarked
package dev.pacegate.http;

import org.jspecify.annotations.NullMarked;
