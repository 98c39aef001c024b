/** The code of {@code docs/recipes.md}. Tests run it, and compare it with the page. */
@NullMarked
package dev.pacegate.examples.recipes;

import org.jspecify.annotations.NullMarked;
