package dev.pacegate.redis;

/**
 * A call was answered, but not all replicas that must confirm it have done so: it counts as not
 * answered. The message follows the words "the store".
 */
final class UnconfirmedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private UnconfirmedException(String message) {
    super(message, null, false, false); // where it was noticed says nothing
  }

  static UnconfirmedException by(long count, int needed) {
    return new UnconfirmedException(
        "is waiting for "
            + (needed - count)
            + " of its "
            + needed
            + " replicas, which must confirm each permit");
  }

  static UnconfirmedException byAnother() {
    return new UnconfirmedException(
        "has a new replica, which may have confirmed instead of another replica");
  }

  static UnconfirmedException lost() {
    return new UnconfirmedException(
        "was lost before its replicas had confirmed the latest permits");
  }
}
