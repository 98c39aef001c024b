package dev.pacegate.redis;

import static java.util.stream.Collectors.joining;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/**
 * Tries what will be called, as soon as a connection is made: otherwise the first request would
 * find that a right is missing, and wait for ever.
 */
final class Rights {

  /** What ends by itself is no matter of rights. */
  private static final Pattern PASSING =
      Pattern.compile(
          "\\b(OOM|NOREPLICAS|MISCONF|READONLY|BUSY|LOADING|MASTERDOWN|MOVED|ASK|TRYAGAIN"
              + "|CLUSTERDOWN)\\b");

  private static final Pattern OF_KEYS = Pattern.compile("\\baccess\\b.*\\bkeys?\\b");
  private static final Pattern QUOTATION = Pattern.compile(", with args beginning with: .*");

  private final RedisAsyncCommands<String, String> redis;
  private final Map<String, String> refused = new LinkedHashMap<>(); // command to words

  private Rights(RedisAsyncCommands<String, String> redis) {
    this.redis = redis;
  }

  /**
   * Tries them, without waiting.
   *
   * @param keys that the server has, and no limit can have
   * @param confirmed whether replicas have to confirm, if there are any: one may come later
   * @return fails with an {@link UnfitServerException}, which names what is missing
   */
  static CompletionStage<Void> check(
      RedisAsyncCommands<String, String> redis, List<String> keys, boolean confirmed) {
    var rights = new Rights(redis);
    String[] probed = keys.toArray(String[]::new);
    Script probe = Script.PROBE;
    return rights
        .attempt("EVAL", redis.eval(probe.source(), ScriptOutputType.MULTI, probed))
        .thenCombine(
            rights.attempt(
                "EVALSHA", redis.evalsha(probe.digest(), ScriptOutputType.MULTI, probed)),
            (one, other) -> one)
        .thenCombine(rights.attemptWait(confirmed), (one, other) -> one)
        .thenAccept(tried -> rights.require());
  }

  private CompletionStage<Boolean> attemptWait(boolean confirmed) {
    return confirmed
        ? attempt("WAIT", redis.waitForReplication(0, 1).thenApply(count -> List.of()))
        : CompletableFuture.completedFuture(true);
  }

  private CompletionStage<Boolean> attempt(String command, CompletionStage<List<String>> call) {
    return call.handle(
        (commandsAndWords, failure) -> {
          if (commandsAndWords != null) {
            note(commandsAndWords);
            return true;
          }
          Throwable cause = Causes.cause(failure);
          if (cause instanceof RedisNoScriptException) {
            return true; // all that is asked
          } else if (cause instanceof RedisCommandExecutionException) {
            note(command, Causes.of(cause));
            return true;
          }
          throw RedisFailures.unchecked(failure);
        });
  }

  private synchronized void note(List<String> commandsAndWords) {
    for (int i = 0; i < commandsAndWords.size(); i += 2) {
      note(commandsAndWords.get(i), commandsAndWords.get(i + 1));
    }
  }

  private synchronized void note(String command, String words) {
    if (!PASSING.matcher(words).find()) {
      String brief = QUOTATION.matcher(Causes.ofScript(words)).replaceFirst("");
      refused.putIfAbsent(command, brief);
    }
  }

  private synchronized void require() {
    if (!refused.isEmpty()) {
      String words = refused.values().iterator().next();
      throw UnfitServerException.because(
          "it refuses " + String.join(" and ", refused.keySet()) + ": " + words + ". " + remedy());
    }
  }

  private String remedy() {
    String commands =
        refused.entrySet().stream()
            .filter(each -> !isOfKeys(each.getValue()))
            .map(each -> "+" + each.getKey().toLowerCase(Locale.ROOT))
            .collect(joining(" "));
    String needed = commands.isEmpty() ? "" : commands + ", under these names, and ";
    return "The user needs " + needed + "the keys ~pacegate:*";
  }

  private static boolean isOfKeys(String words) {
    return OF_KEYS.matcher(words).find();
  }
}
