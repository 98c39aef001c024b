package dev.pacegate.simulator;

/** Explains a drawing in a sentence or two. */
final class Caption {

  private Caption() {}

  static String of(Scene scene) {
    Worst worst = scene.outcome().worst();
    if (scene.outcome().accepted() == 0 && scene.outcome().kept()) {
      return "Nothing reached the API.";
    }
    return worst.tooMuch() ? broken(scene, worst) : kept(scene, worst);
  }

  private static String kept(Scene scene, Worst worst) {
    Rule rule = scene.rule();
    if (rule instanceof Rule.Gap gap) {
      return "No two requests ever reach the API less than "
          + Findings.span(gap.nanos())
          + " apart.";
    }
    if (isBucket(rule)) {
      return "The API's bucket is never empty when a request comes. The largest burst takes "
          + worst
          + ".";
    }
    String most = " more than " + worst.most();
    String allows = "; it allows " + worst.allowed() + ".";
    if (rule instanceof Rule.Open) {
      return "The API never works on" + most + " at once" + allows;
    }
    if (rule instanceof Rule.Estimated) {
      return "The API never estimates" + most + allows;
    }
    return "The API never counts"
        + most
        + " in a window of "
        + Findings.span(rule.nanos())
        + allows;
  }

  private static String broken(Scene scene, Worst worst) {
    Rule rule = scene.rule();
    if (rule instanceof Rule.Gap gap) {
      return "Two requests reach the API "
          + Findings.span(scene.worstTo() - scene.worstFrom() - 1)
          + " apart; it wants at least "
          + Findings.span(gap.nanos())
          + "."
          + cause(scene, gap.nanos(), 1);
    }
    if (rule instanceof Rule.Open) {
      return "The API is at work on "
          + worst.most()
          + " at once and allows "
          + worst.allowed()
          + "."
          + (scene.worstAtStart().tooMuch()
              ? " The program itself had " + scene.worstAtStart().most() + " open."
              : " The program took some for ended that were not.");
    }
    if (isBucket(rule)) {
      return "The API's bucket holds "
          + worst.allowed()
          + "; what comes needs "
          + worst.most()
          + "."
          + (scene.worstAtStart().tooMuch()
              ? " As the program started them, they need " + scene.worstAtStart().most() + "."
              : " Requests catch up with each other on their way" + orClock(scene) + ".");
    }
    if (rule instanceof Rule.Estimated) {
      return "The API estimates "
          + worst.most()
          + " and allows "
          + worst.allowed()
          + ". It takes the requests of its last window for evenly spread.";
    }
    return "The API counts "
        + worst.most()
        + " in a window of "
        + Findings.span(rule.nanos())
        + " and allows "
        + worst.allowed()
        + "."
        + cause(scene, rule.nanos(), worst.allowed());
  }

  /** Returns the cause, which is the program or the network. */
  private static String cause(Scene scene, long nanos, long allowed) {
    long released = scene.mostReleased(nanos);
    String within = " within " + Findings.span(nanos);
    return released > allowed
        ? " The program itself started " + released + within + "."
        : " The program started at most "
            + released
            + within
            + ": some took longer than those behind them"
            + orClock(scene)
            + ".";
  }

  /** A slow or coarse clock of the API brings requests nearer to each other, too. */
  private static String orClock(Scene scene) {
    PeerClock clock = scene.outcome().scenario().peer().clock();
    return clock.fastPpm() < 0 || clock.grain() > 1 ? ", or its clock is slow or coarse" : "";
  }

  private static boolean isBucket(Rule rule) {
    return rule instanceof Rule.Bucket || rule instanceof Rule.Gcra;
  }
}
