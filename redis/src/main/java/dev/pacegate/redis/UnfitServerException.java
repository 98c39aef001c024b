package dev.pacegate.redis;

/** A server with which the promise cannot be kept, for now or for ever. */
final class UnfitServerException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String reason;
  private final Unfitness kind;

  private enum Unfitness {
    FOR_EVER,
    REPLICA,
    OF_CLUSTER
  }

  private UnfitServerException(String reason, Unfitness kind) {
    super("this server cannot share limits: " + reason);
    this.reason = reason;
    this.kind = kind;
  }

  static UnfitServerException because(String reason) {
    return new UnfitServerException(reason, Unfitness.FOR_EVER);
  }

  /** Of a server whose primary is to be asked instead. */
  static UnfitServerException replica() {
    return new UnfitServerException(
        "a replica cannot count: connect to its primary", Unfitness.REPLICA);
  }

  /** Of a server of a cluster, which one connection cannot follow. */
  static UnfitServerException ofCluster() {
    return new UnfitServerException(
        "it is in cluster mode: pass its address, or a RedisClusterClient", Unfitness.OF_CLUSTER);
  }

  /** Returns whether it is one of a cluster. */
  boolean isOfCluster() {
    return kind == Unfitness.OF_CLUSTER;
  }

  /** Returns why, without the words in front. */
  String reason() {
    return reason;
  }

  /** Returns whether another connection may lead to another server. */
  boolean passes() {
    return kind == Unfitness.REPLICA;
  }
}
