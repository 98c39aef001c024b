package dev.pacegate;

/** What a peer did with a request. The later constant is the weightier one. */
public enum PeerVerdict {
  /** The peer says nothing of too many requests. */
  ACCEPTED,
  /** The peer could not serve the request, and does not say that a limit is the reason. */
  OVERLOADED,
  /** The peer refused the request because there were too many. */
  REFUSED
}
