/** What a request costs: large, named, settled later, or counted by no limit. */
@NullMarked
package dev.pacegate.cost;

import org.jspecify.annotations.NullMarked;
