package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.redis.RedisLimiters;
import io.lettuce.core.RedisException;
import java.util.logging.LogManager;
import org.jspecify.annotations.Nullable;

/** Connects to a store. */
final class StoreConnection {

  /** What users of the library call, and those of a command write. */
  private static final String DURABLE = "durable()";

  private StoreConnection() {}

  /** Builds a limiter whose limit is counted in the store. */
  static OpenLimiter open(
      StoreServer.Login login, String name, boolean durable, Limiter.Builder builder)
      throws Failure {
    RedisLimiters store = connect(login, durable, null);
    try {
      return new OpenLimiter(builder.name(name).source(store.source(name)).build(), store::close);
    } catch (IllegalArgumentException e) {
      store.close();
      throw new Failure(e.getMessage());
    }
  }

  /**
   * Connects to a store.
   *
   * @param secret of the keys; null if there is none
   */
  static RedisLimiters connect(StoreServer.Login login, @Nullable String secret) throws Failure {
    return connect(login, false, secret);
  }

  private static RedisLimiters connect(
      StoreServer.Login login, boolean durable, @Nullable String secret) throws Failure {
    try {
      return tryToConnect(login, durable, secret);
    } catch (RedisException e) {
      throw failure(login, e);
    }
  }

  /**
   * As {@link #connect}.
   *
   * @throws RedisException if the server does not answer, or not in time
   */
  static RedisLimiters tryToConnect(StoreServer.Login login, @Nullable String secret)
      throws Failure {
    return tryToConnect(login, false, secret);
  }

  private static RedisLimiters tryToConnect(
      StoreServer.Login login, boolean durable, @Nullable String secret) throws Failure {
    LogManager.getLogManager().reset(); // the Redis client logs there what Log prints, and more
    try {
      var builder = RedisLimiters.builder(login.address().uri(login.password()));
      if (login.partition() != null) {
        builder.partition(login.partition());
      }
      if (durable) {
        builder.durable();
      }
      if (secret != null) {
        builder.secret(secret);
      }
      return builder.connect();
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw failure(login, e);
    }
  }

  private static Failure failure(StoreServer.Login login, Exception e) {
    return new Failure("the store " + login.address() + " cannot be used: " + problem(e));
  }

  private static String problem(Throwable failure) {
    String reason = reason(failure);
    return reason.startsWith("NOAUTH")
        ? "it needs a password: " + StoreServer.REMEDY
        : reason.replace(DURABLE, "--durable");
  }

  /** Returns the message of the first cause. */
  private static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
