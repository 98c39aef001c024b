/**
 * The shapes, letters and colours of drawings as SVG, for those of the simulator and the pictures
 * of the pages. Not exported.
 */
@NullMarked
package dev.pacegate.simulator.drawing;

import org.jspecify.annotations.NullMarked;
