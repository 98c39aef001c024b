/** How shared limits grow, for the page docs/cluster-growth.md. */
@NullMarked
package dev.pacegate.redis.growth;

import org.jspecify.annotations.NullMarked;
