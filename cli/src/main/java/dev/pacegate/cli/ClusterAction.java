package dev.pacegate.cli;

import dev.pacegate.redis.Operations;
import dev.pacegate.redis.SharedLimitStatus;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import org.jspecify.annotations.Nullable;

/**
 * Something that is done at a store. A class of its own, so that a command loads it when it runs.
 */
interface ClusterAction {

  void run(Operations operations) throws Failure;

  /** Connects to the store, does it, and disconnects. */
  static int at(StoreServer server, World world, ClusterAction action) throws Failure {
    return at(server, null, world, action);
  }

  /** As {@link #at(StoreServer, World, ClusterAction)}, with the secret of the keys. */
  static int at(StoreServer server, @Nullable KeySecret secret, World world, ClusterAction action)
      throws Failure {
    StoreServer.Login login = server.login(world.environment());
    String key = secret == null ? null : secret.of(world.environment());
    try (var store = StoreConnection.connect(login, key)) {
      action.run(store.operations());
      return Status.OK;
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new Failure(e.getMessage());
    } catch (RedisCommandExecutionException e) {
      throw new Failure("the store " + login.address() + " did not do it: " + reason(e));
    } catch (RedisException e) { // it may have done it
      throw new Failure("the store " + login.address() + ": " + e.getMessage());
    }
  }

  /** Returns what the store knows of a limit. */
  static SharedLimitStatus status(Operations operations, String name) throws Failure {
    return operations
        .status(name)
        .orElseThrow(
            () ->
                new Failure(
                    "the store does not know the name "
                        + name
                        + "; it knows "
                        + operations.names()));
  }

  /** Returns what went wrong; of an error in a script the words alone. */
  static String reason(RedisCommandExecutionException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.replaceFirst("(?s).*user_script:\\d+: (.*?)( script: .*)?$", "$1");
  }
}
