/**
 * Tests that judge any adapter of an HTTP client: extend {@link
 * dev.pacegate.adapter.tck.AdapterRules}.
 */
@NullMarked
package dev.pacegate.adapter.tck;

import org.jspecify.annotations.NullMarked;
