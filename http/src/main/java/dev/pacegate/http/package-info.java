/**
 * The JDK's {@link java.net.http.HttpClient}, paced.
 *
 * <p>Start with {@link dev.pacegate.http.PacedHttpClient}.
 */
package dev.pacegate.http;
