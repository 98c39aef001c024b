package dev.pacegate.audit;

/**
 * How many fixed windows {@code [k I + phase, (k + 1) I + phase)} held more than the limit, at the
 * phase at which the most did.
 *
 * <p>The count is exact for the phase it names. The phases compared are at most a thousand: that of
 * the first interval found too full, and then every whole thousandth of I (rounded up to a
 * nanosecond); at a phase in between it may be more. It is 0 only if no half-open interval of
 * length I held too much, and then no phase at all breaks any window. How full the fullest window
 * gets needs no such search: over all phases it is what the fullest interval holds, at {@link
 * Stretch#phase}.
 *
 * @param phase the phase, from 0 to I - 1, of the clock the instants are read from
 * @param broken how many windows held too much
 */
public record FixedWindows(long phase, long broken) {

  static final FixedWindows NONE = new FixedWindows(0, 0);
}
