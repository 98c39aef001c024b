/** What jobs hand back: see {@link dev.pacegate.result.ResultKind}. */
@NullMarked
package dev.pacegate.result;

import org.jspecify.annotations.NullMarked;
