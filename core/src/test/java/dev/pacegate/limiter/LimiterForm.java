package dev.pacegate.limiter;

/** The forms in which a program has a limiter. In each, the same limit lets the same through. */
public enum LimiterForm {

  /** As the builder makes it from a limit alone. */
  PLAIN,

  /** It logs what it lets through to a file. */
  STATE_FILE,

  /** Its meters come from a source, and count in this process. */
  SOURCE,

  /** The peer has refused a request of it, and the pause is over. */
  FEEDBACK,

  /** It is one key of a keyed limiter. */
  KEY,

  /** It was unlimited before it got its limit. */
  CHANGED
}
