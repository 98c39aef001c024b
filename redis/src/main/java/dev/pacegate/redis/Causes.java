package dev.pacegate.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Why something failed, in words for people. */
final class Causes {

  // Redis 6.2 puts the place in front, once or more; 7 puts it behind the words.
  private static final Pattern PLACE_BEFORE =
      Pattern.compile("^ERR Error running script \\(call to \\w+\\): |@?user_script: ?\\d+: ");
  private static final Pattern PLACE_BEHIND =
      Pattern.compile(" script: \\p{XDigit}+, on @?user_script:\\d+\\.?$");

  private static final int MOST_CAUSES = 50; // they may go round

  private Causes() {}

  /** Returns why a call failed. */
  static String of(@Nullable Throwable failure) {
    Throwable cause = cause(failure);
    return cause == null ? "no reply" : text(cause);
  }

  /**
   * Returns what is wrong with the store, behind the words "the store": an error of a script is
   * told by its words alone.
   */
  static String ofCall(@Nullable Throwable failure) {
    String reason = of(failure);
    Throwable cause = cause(failure);
    if (cause instanceof UnconfirmedException || cause instanceof TroubleException) {
      return reason;
    } else if (cause instanceof UnfitServerException unfit && !unfit.passes()) {
      return "cannot share limits: " + unfit.reason();
    }
    String notNow = RedisFailures.notNow(cause);
    if (notNow != null) {
      return "is not ready: " + ofNotNow(notNow) + " (" + notNow + ")";
    }
    return cause instanceof RedisCommandExecutionException
        ? "answers with an error: " + ofScript(reason)
        : "does not answer: " + reason;
  }

  private static String ofNotNow(String error) {
    return switch (error) {
      case "MOVED", "ASK", "TRYAGAIN" -> "the slot of this name is being moved to another node";
      case "CLUSTERDOWN" -> "its cluster is down, or has no node for the slot of this name";
      case "LOADING" -> "it is loading its data";
      default -> "it is a replica, and no primary is known yet";
    };
  }

  /** Returns what failed, without what only hands it on. */
  static @Nullable Throwable cause(@Nullable Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Returns why a connection cannot be made: what was wrong at first. */
  static String ofConnecting(Throwable failure) {
    Throwable root = failure;
    boolean isUntrusted = isOfTrust(root);
    for (int i = 0; i < MOST_CAUSES && root.getCause() != null; i++) {
      root = root.getCause();
      isUntrusted |= isOfTrust(root);
    }
    return isUntrusted
        ? "its certificate is of no authority that this program trusts (" + text(root) + ")"
        : text(root);
  }

  private static boolean isOfTrust(Throwable cause) {
    return cause instanceof CertPathBuilderException || cause instanceof CertPathValidatorException;
  }

  /** Returns an error of a script without the script's digest and the place in it. */
  static String ofScript(String error) {
    String words = PLACE_BEHIND.matcher(error).replaceFirst("");
    return PLACE_BEFORE.matcher(words).replaceAll("").replaceFirst("^-?(ERR )?", "");
  }

  private static String text(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
