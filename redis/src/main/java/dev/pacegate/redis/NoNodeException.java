package dev.pacegate.redis;

import io.lettuce.core.RedisException;

/** No node of a cluster is known that has the slot of a name. */
final class NoNodeException extends RedisException {

  private static final long serialVersionUID = 1L;

  NoNodeException() {
    super("the cluster has no node for the slot of this name");
  }
}
