package dev.pacegate.cli;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.LimitForm;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate limits}: how limits are written, and what they promise. */
final class LimitsCommand implements Callable<Integer> {

  private static final String GRAMMAR =
      """
      Syntax of a LIMIT

        limit    := term { ("&" | "and") term }      all terms apply
        term     := rate [ "of" NAME ]
                  | NAME [ "(" argument { "," option "=" value } ")" ]
        rate     := INTEGER "/" duration             10/1m; 5/s is 5/1s
        duration := 100ms, 1s, 1h30m, ...            ns us ms s m (or min) h d;
                                                     in aligned also w mo

      Integers may be grouped (10_000/1m); decimals are rejected. W is any interval,
      whenever it begins. "of NAME" counts the cost with that name; these commands
      use only the plain cost. pipe, run and proxy read 10/1m as peer(10/1m); audit
      and simulate take it as it is, which is starts(10/1m).
      """;

  private final World world;

  private LimitsCommand(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    return CommandOptions.command(
        new LimitsCommand(world),
        "limits",
        "Prints how a LIMIT is written and what each kind promises.",
        "",
        "Exit status: 0; 2 for bad arguments." + Status.AND_OTHERS);
  }

  @Override
  public Integer call() throws Failure {
    var text = new StringWriter();
    print(new PrintWriter(text));
    String lines = text.toString();
    int width = Width.ofTerminal(world.environment());
    new Output(world.out())
        .write(width == 0 ? lines : HelpWidth.folded(lines, HelpWidth.bounded(width)));
    return Status.OK;
  }

  private static void print(PrintWriter out) {
    out.println(GRAMMAR);
    out.println("Kinds");
    Limits.forms().forEach(form -> print(form, out));
    out.println();
    out.println("Options");
    for (LimitForm.Option option : Limits.options()) {
      out.printf("  %-12s%s%n", option.name(), option.meaning());
      out.printf("  %-12sdefault: %s; allowed: %s%n", "", option.usual(), option.range());
    }
    out.flush();
  }

  private static void print(LimitForm form, PrintWriter out) {
    out.println();
    out.printf("  %-26s'%s'%n", form.syntax(), form.example());
    for (String promise : promises(Limits.parse(form.example()))) {
      out.printf("  %-26s%s%n", "", promise);
    }
    if (!form.options().isEmpty()) {
      out.printf(
          "  %-26soptions: %s%n",
          "", String.join(", ", form.options().stream().map(LimitForm.Option::name).toList()));
    }
  }

  private static List<String> promises(Limit limit) {
    return limit.promises().isEmpty()
        ? List.of("promises nothing")
        : limit.promises().stream().map(Promise::text).toList();
  }
}
