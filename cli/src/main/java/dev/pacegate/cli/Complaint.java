package dev.pacegate.cli;

import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What is wrong with a command line, in the words of a shell rather than those of its parser. */
final class Complaint {

  private static final int MOST_SUGGESTED = 2;

  /** What picocli says, and what is said instead. */
  private record Wording(Pattern theirs, String ours) {
    Wording(String theirs, String ours) {
      this(Pattern.compile(theirs, Pattern.DOTALL), ours);
    }
  }

  private static final String INVALID = "Invalid value for option '([^']+)'.*?: ";

  private static final List<Wording> WORDINGS =
      List.of(
          new Wording(INVALID + "'(.*)' is not an? (?:int|long)", "$1 takes a whole number: $2"),
          new Wording(INVALID + "'(.*)' is not a boolean", "$1 takes no value: $2"),
          new Wording("Invalid value for option '([^']+)'[^:]*: (.*)", "$1: $2"),
          new Wording("Missing required parameter for option '([^']+)' \\((.*)\\)", "$1 needs $2"),
          new Wording("option '([^']+)'.* should be specified only once", "$1 is given twice"),
          new Wording("Missing required [a-z ]+: (.*)", "missing: $1"));

  private static final Pattern CHOICE =
      Pattern.compile(INVALID + "expected one of \\[(.*)] \\(case-insensitive\\) but was '(.*)'");

  private Complaint() {}

  /** Returns the problem; a negative rate looks like an option but is not. */
  static String of(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return reworded(String.valueOf(e.getMessage()));
    }
    String first = unmatched.getUnmatched().get(0);
    if (!first.matches("-[0-9].*")) {
      return unknown(unmatched, first);
    }
    try {
      return "misplaced: " + Limits.parse(first);
    } catch (LimitFormatException wrong) {
      return LimitArgument.problem(wrong);
    }
  }

  private static String reworded(String message) {
    Matcher choice = CHOICE.matcher(message);
    if (choice.matches()) {
      String all = choice.group(2).toLowerCase(Locale.ROOT);
      return choice.group(1) + " takes one of " + all + ": " + choice.group(3);
    }
    for (Wording wording : WORDINGS) {
      Matcher matcher = wording.theirs.matcher(message);
      if (matcher.matches()) {
        return matcher.replaceFirst(wording.ours).replace("'", "");
      }
    }
    return message;
  }

  private static String unknown(UnmatchedArgumentException e, String argument) {
    boolean hasCommands = !e.getCommandLine().getSubcommands().isEmpty();
    if (!argument.startsWith("-") && !hasCommands) {
      return "there is one argument too many: " + argument;
    }
    String kind = argument.startsWith("-") ? "option" : "command";
    List<String> similar = similar(e, argument);
    return "there is no "
        + kind
        + " "
        + argument
        + (similar.isEmpty() ? "" : "; did you mean " + String.join(" or ", similar) + "?");
  }

  /** Returns what has the same letters in another order, else what picocli finds similar. */
  private static List<String> similar(UnmatchedArgumentException e, String argument) {
    CommandLine command = e.getCommandLine();
    String letters = inOrder(argument.replaceFirst("(?s)=.*", ""));
    List<String> swapped =
        Stream.concat(
                command.getSubcommands().keySet().stream(),
                command.getCommandSpec().optionsMap().keySet().stream())
            .filter(known -> inOrder(known).equals(letters))
            .toList();
    return swapped.isEmpty() ? e.getSuggestions().stream().limit(MOST_SUGGESTED).toList() : swapped;
  }

  private static String inOrder(String word) {
    char[] letters = word.toCharArray();
    Arrays.sort(letters);
    return new String(letters);
  }
}
