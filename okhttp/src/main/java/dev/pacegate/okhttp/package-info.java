/** A paced version of OkHttp's client: a permit for each request on the wire. */
@NullMarked
package dev.pacegate.okhttp;

import org.jspecify.annotations.NullMarked;
