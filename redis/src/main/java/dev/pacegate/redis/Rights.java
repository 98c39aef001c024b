package dev.pacegate.redis;

import static java.util.stream.Collectors.joining;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Tries what will be called, as soon as a connection is made: otherwise the first request would
 * find that a right is missing, and wait for ever.
 */
final class Rights {

  /** Not a name that a limit can have. */
  private static final Address NOWHERE = new Address("", "probe", "");

  /** What ends by itself is no matter of rights. */
  private static final Pattern PASSING =
      Pattern.compile("\\b(OOM|NOREPLICAS|MISCONF|READONLY|BUSY|LOADING|MASTERDOWN)\\b");

  private static final Pattern OF_KEYS = Pattern.compile("\\baccess\\b.*\\bkeys?\\b");
  private static final Pattern QUOTATION = Pattern.compile(", with args beginning with: .*");

  private final RedisCommands<String, String> redis;
  private final Map<String, String> refused = new LinkedHashMap<>(); // command to words

  private Rights(RedisCommands<String, String> redis) {
    this.redis = redis;
  }

  /**
   * Returns if all that is needed is allowed.
   *
   * @param confirmed whether replicas have to confirm, if there are any: one may come later
   * @throws IllegalStateException if not; the message names what is missing
   */
  static void check(RedisCommands<String, String> redis, boolean keyed, boolean confirmed) {
    var rights = new Rights(redis);
    rights.tryScripts(keyed);
    if (confirmed) {
      rights.attempt("WAIT", () -> redis.waitForReplication(0, 1));
    }
    rights.require();
  }

  private void tryScripts(boolean keyed) {
    Script probe = Script.PROBE;
    List<String> all = NOWHERE.keys();
    String[] keys = all.subList(0, keyed ? 2 : 1).toArray(String[]::new);
    attempt("EVAL", () -> note(redis.eval(probe.source(), ScriptOutputType.MULTI, keys)));
    attempt("EVALSHA", () -> note(redis.evalsha(probe.digest(), ScriptOutputType.MULTI, keys)));
  }

  private void attempt(String command, Runnable call) {
    try {
      call.run();
    } catch (RedisNoScriptException allowed) {
      // All that is asked.
    } catch (RedisCommandExecutionException e) {
      note(command, Causes.of(e));
    }
  }

  private void note(List<String> commandsAndWords) {
    for (int i = 0; i < commandsAndWords.size(); i += 2) {
      note(commandsAndWords.get(i), commandsAndWords.get(i + 1));
    }
  }

  private void note(String command, String words) {
    if (!PASSING.matcher(words).find()) {
      String brief = QUOTATION.matcher(Causes.ofScript(words)).replaceFirst("");
      refused.putIfAbsent(command, brief);
    }
  }

  private void require() {
    if (!refused.isEmpty()) {
      String words = refused.values().iterator().next();
      throw ServerCheck.refused(
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
