/** What holds of all code: layers, exports, nulls, messages, and what the first use costs. */
@NullMarked
package dev.pacegate.architecture;

import org.jspecify.annotations.NullMarked;
