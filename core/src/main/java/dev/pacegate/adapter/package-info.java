/** What an adapter of a client needs: a permit for each request on the wire. */
@NullMarked
package dev.pacegate.adapter;

import org.jspecify.annotations.NullMarked;
