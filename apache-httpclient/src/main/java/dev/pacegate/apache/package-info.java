/**
 * Apache HttpClient 5 with a permit for every request on the wire. Begin with {@link
 * dev.pacegate.apache.PacedApache}.
 */
@NullMarked
package dev.pacegate.apache;

import org.jspecify.annotations.NullMarked;
