/**
 * Files of limits: parsing, watching, reloading. Not exported. Begin with {@link
 * dev.pacegate.config.LimitsFile}.
 */
@NullMarked
package dev.pacegate.config;

import org.jspecify.annotations.NullMarked;
