package dev.pacegate.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A command that a test answers. */
final class Asked extends CompletableFuture<Object> implements RedisFuture<Object> {

  private final String name;
  private final Object[] arguments;

  private Asked(String name, Object[] arguments) {
    this.name = name;
    this.arguments = arguments;
  }

  /** Returns a connection that leads nowhere, and hands on what is asked. */
  static StatefulRedisConnection<String, String> connection(Consumer<Asked> test) {
    return connection(test, () -> true);
  }

  /** As the other one, for a connection that may be lost: it then keeps what it is asked. */
  @SuppressWarnings("unchecked")
  static StatefulRedisConnection<String, String> connection(
      Consumer<Asked> test, BooleanSupplier isOpen) {
    Object commands =
        proxy(
            RedisAsyncCommands.class,
            (proxy, method, arguments) -> ask(test, method.getName(), arguments));
    return (StatefulRedisConnection<String, String>)
        proxy(
            StatefulRedisConnection.class,
            (proxy, method, arguments) ->
                method.getName().equals("async") ? commands : (Object) isOpen.getAsBoolean());
  }

  private static Asked ask(Consumer<Asked> test, String name, Object[] arguments) {
    var asked = new Asked(name, arguments);
    test.accept(asked);
    return asked;
  }

  private static Object proxy(Class<?> type, InvocationHandler handler) {
    return Proxy.newProxyInstance(Asked.class.getClassLoader(), new Class<?>[] {type}, handler);
  }

  /** Returns the command and its first argument. */
  String text() {
    return name + " " + arguments[0];
  }

  /** Returns whether it runs that script. */
  boolean isScript(Script script) {
    return arguments[0].equals(script.digest()) || arguments[0].equals(script.source());
  }

  /** Returns a key of a script: 0 is the record. */
  String key(int index) {
    return ((Object[]) arguments[2])[index].toString();
  }

  /** Returns an argument of a script: 0 is the claim. */
  String argument(int index) {
    return ((Object[]) arguments[3])[index].toString();
  }

  @Override
  public @Nullable String getError() {
    return null;
  }

  @Override
  public boolean await(long timeout, TimeUnit unit) {
    return isDone();
  }
}
