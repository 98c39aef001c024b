package dev.pacegate.redis;

/**
 * Why a name of a cluster cannot be served, as it was told first. It follows the words "the store".
 */
final class TroubleException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  TroubleException(String message, Throwable cause) {
    super(message, cause, false, false); // where it was noticed says nothing
  }
}
