/** A reverse proxy to one upstream, whose requests wait for their permits. */
@NullMarked
package dev.pacegate.proxy;

import org.jspecify.annotations.NullMarked;
