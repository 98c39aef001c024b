package dev.pacegate.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A command that a test answers. */
final class Asked extends CompletableFuture<Object> implements RedisFuture<Object> {

  /** Where a call says how many terms its limit has: behind the claim and what is said once. */
  private static final int COMMON = 10;

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

  /** Returns whether it is that command. */
  boolean isNamed(String command) {
    return name.equals(command);
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

  /**
   * Returns what a call of {@code acquire.lua} says of each of its keys, as the script reads it.
   */
  List<List<String>> entries() {
    List<String> all = arguments();
    var entries = new ArrayList<List<String>>();
    int at = 1 + COMMON + Integer.parseInt(all.get(COMMON)) * 6;
    while (at < all.size()) {
      int reports = at + 7 + 3 * Integer.parseInt(all.get(at + 6));
      int end = reports + 1 + 5 * Integer.parseInt(all.get(reports));
      entries.add(all.subList(at, end));
      at = end;
    }
    return entries;
  }

  /** Returns whether the client of an entry knows which limit is in force. */
  boolean knowsLimit(int entry) {
    return !entries().get(entry).get(4).isEmpty();
  }

  /** Returns the keys of a script. */
  List<String> keys() {
    return texts(2);
  }

  /** Returns the arguments of a script: 0 is the claim. */
  List<String> arguments() {
    return texts(3);
  }

  private List<String> texts(int index) {
    return Arrays.stream((Object[]) arguments[index]).map(Object::toString).toList();
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
