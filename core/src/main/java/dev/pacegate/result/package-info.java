/** What jobs hand back: see {@link dev.pacegate.result.ResultKind}. */
package dev.pacegate.result;
