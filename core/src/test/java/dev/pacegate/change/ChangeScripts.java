package dev.pacegate.change;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Shape;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Makes scripts at random: small limits, short lengths, so that much happens. */
final class ChangeScripts {

  private static final String[] LENGTHS = {"1s", "2s", "3s", "5s", "8s", "10s"};
  private static final String[] GAPS = {"200ms", "1s", "3s"};
  private static final String[] UNANSWERED = {"0s", "500ms", "2s", "6s", "20s"};
  private static final int KINDS = 16;
  private static final int MOST_CHANGES = 8;

  private final SplittableRandom random;
  private final String unanswered; // what is said of each peer
  private final boolean isOneSpan; // bounds of counted are as long as that
  private String margin;
  private final boolean unitCosts;
  private final int[] kinds; // of which limits are made
  private final boolean isSingle; // limits of one term
  private int late; // how often requests are sent late, of 8
  private final List<Limit> limits = new ArrayList<>();
  private final List<ChangeScript.Step> steps = new ArrayList<>();

  ChangeScripts(SplittableRandom random) {
    this(random, kinds(random), random.nextBoolean(), false);
  }

  /**
   * Makes scripts of single windows and spacings, of concurrent, and of unlimited. Lost requests
   * count equally long under all of them.
   */
  static ChangeScript ofWindows(SplittableRandom random) {
    int[] windows = {0, 1, 2, 6, 8, 9, 10, 12, 15};
    var scripts = new ChangeScripts(random, windows, true, true);
    scripts.limits.add(Limits.parse("unlimited"));
    scripts.put(scripts.limit());
    return scripts.script();
  }

  /** Makes scripts whose limits change within moments of the instant at which a bound ends. */
  static ChangeScript atBounds(SplittableRandom random) {
    var scripts = new ChangeScripts(random, new int[] {0, 2, 6, 7, 7, 7, 8}, true, true);
    scripts.margin = "";
    scripts.late = 6;
    scripts.limits.add(scripts.limit());
    for (int changes = 1 + random.nextInt(MOST_CHANGES); changes > 0; changes--) {
      scripts.passBound();
      scripts.put(scripts.limit());
      scripts.steps.add(new ChangeScript.Await(scripts.cost()));
    }
    scripts.play(6);
    return new ChangeScript(scripts.limits.get(0), scripts.steps);
  }

  /** Requests go, of which some end, and a bound after that. */
  private void passBound() {
    steps.add(request());
    if (random.nextBoolean()) {
      steps.add(new ChangeScript.End(random.nextInt(100), outcome()));
    }
    Duration bound = Durations.parse(unanswered);
    steps.add(new ChangeScript.Pass(bound.plusNanos(random.nextInt(2_000_000))));
  }

  private ChangeScripts(SplittableRandom random, int[] kinds, boolean isSingle, boolean isOneSpan) {
    this.random = random;
    this.kinds = kinds;
    this.isSingle = isSingle;
    this.isOneSpan = isOneSpan;
    this.margin = random.nextInt(4) == 0 ? "" : ", margin=0s";
    this.unanswered = of(UNANSWERED);
    this.unitCosts = random.nextBoolean();
    this.late = random.nextInt(4) == 0 ? 6 : 1;
  }

  private static int[] kinds(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> new int[] {0, 1};
      case 1 -> new int[] {3, 4, 5};
      case 2 -> new int[] {6, 7, 8};
      case 3 -> new int[] {6, 7, 8, 9, 10, 0, 12};
      case 4 -> new int[] {0, 3, 6, 11};
      default -> random.ints(KINDS, 0, KINDS).toArray();
    };
  }

  private String of(String[] texts) {
    return texts[random.nextInt(texts.length)];
  }

  ChangeScript script() {
    if (limits.isEmpty()) {
      limits.add(limit());
    }
    for (int changes = 1 + random.nextInt(MOST_CHANGES); changes > 0; changes--) {
      if (random.nextInt(8) == 0) {
        outlive();
        changes--;
      }
      play(random.nextInt(3) == 0 ? random.nextInt(2) : 2 + random.nextInt(8));
      put(random.nextInt(3) == 0 ? limits.get(random.nextInt(limits.size())) : limit());
    }
    play(12);
    return new ChangeScript(limits.get(0), steps);
  }

  private void put(Limit next) {
    steps.add(new ChangeScript.Put(next));
    limits.add(next);
  }

  /** Requests stay open beyond all lengths, and end one after another under another limit. */
  private void outlive() {
    Cost cost = cost();
    steps.add(new ChangeScript.Take(cost, 12));
    put(limit());
    steps.add(new ChangeScript.Pass(Duration.ofSeconds(random.nextInt(60))));
    for (int ends = random.nextInt(10); ends > 0; ends--) {
      steps.add(new ChangeScript.End(0, outcome()));
      steps.add(new ChangeScript.Take(cost, random.nextInt(2)));
      steps.add(new ChangeScript.Pass(Duration.ofMillis(random.nextInt(400))));
    }
    put(limits.get(limits.size() - 2));
    steps.add(new ChangeScript.Take(cost, 12));
  }

  // ---- limits

  private Limit limit() {
    var text = new StringBuilder(term(kinds[random.nextInt(kinds.length)]));
    for (int more = isSingle ? 0 : random.nextInt(3); more > 0; more--) {
      text.append(" & ").append(term(kinds[random.nextInt(kinds.length)]));
    }
    boolean none = text.indexOf("unlimited") >= 0;
    return Limits.parse(none ? "unlimited" : text.toString());
  }

  private String peer() {
    boolean counted = random.nextInt(8) < (late > 1 ? 7 : 2);
    String bound = isOneSpan ? unanswered : of(UNANSWERED);
    return (counted ? ", counted=" + bound : ", unanswered=" + unanswered) + margin + ")";
  }

  private String term(int kind) {
    String rate = 1 + random.nextInt(6) + "/" + of(LENGTHS);
    String burst = ", burst=" + (1 + random.nextInt(5));
    return switch (kind) {
      case 0 -> rate;
      case 1 -> rate + (unitCosts ? "" : " of tokens");
      case 2 -> "spacing(" + of(GAPS) + ")";
      case 3 -> "bucket(" + rate + burst + ")";
      case 4 -> "bucket(" + rate + burst + ", slack=" + of(GAPS) + ")";
      case 5 -> "bucket(" + rate + burst + ", pay=later, debt=" + (1 + random.nextInt(3)) + ")";
      case 6 -> "peer(" + rate + peer();
      case 7 -> "peer(bucket(" + rate + burst + ")" + peer();
      case 8 -> "peer(spacing(" + of(GAPS) + ")" + peer();
      case 9 -> "concurrent(" + (1 + random.nextInt(4)) + ")" + ofName();
      case 10 ->
          "concurrent(" + (1 + random.nextInt(4)) + ", unanswered=" + of(GAPS) + ")" + ofName();
      case 11 -> "fixed(" + rate + ")";
      case 12 -> "unlimited";
      case 13 -> "warmup(" + rate + ", over=" + of(LENGTHS) + ")";
      case 14 -> "aligned(" + 3 + "/" + of(new String[] {"1s", "2s", "5s", "10s"}) + ")";
      default -> "starts(" + rate + ")";
    };
  }

  private String ofName() {
    return unitCosts || random.nextInt(3) > 0 ? "" : " of tokens";
  }

  // ---- what happens in between

  private void play(int moves) {
    var shape = new Shape(limits.get(random.nextInt(limits.size())));
    for (int i = 0; i < moves; i++) {
      long gap = Math.min(shape.gap(random), 40_000_000_000L);
      if (gap > 0) {
        steps.add(new ChangeScript.Pass(Duration.ofNanos(gap)));
      }
      for (int ends = random.nextInt(4); ends > 0; ends--) {
        steps.add(new ChangeScript.End(random.nextInt(100), outcome()));
      }
      if (random.nextInt(8) < late) {
        steps.add(new ChangeScript.Send(random.nextInt(100)));
      }
      steps.add(request());
    }
  }

  private ChangeScript.Step request() {
    Cost cost = cost();
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> new ChangeScript.Take(cost, 12);
      case 3, 4, 5 -> new ChangeScript.Await(cost);
      case 6 -> new ChangeScript.Take(cost, 1);
      default ->
          new ChangeScript.Settle(
              random.nextInt(100),
              isOneSpan ? 100 + random.nextInt(301) : random.nextInt(201)); // nothing is given back
    };
  }

  private Cost cost() {
    Cost cost = unitCosts ? Cost.ONE : ChangeScript.cost(random, limits.get(limits.size() - 1));
    return isOneSpan && cost.amount() == 0 ? cost.withAmount(1) : cost; // 0 is a call all the same
  }

  private Outcome outcome() {
    return switch (random.nextInt(8)) {
      case 0 -> isOneSpan ? Outcome.ANSWERED : Outcome.NOT_SENT;
      case 1, 2 -> Outcome.LOST;
      default -> Outcome.ANSWERED;
    };
  }
}
