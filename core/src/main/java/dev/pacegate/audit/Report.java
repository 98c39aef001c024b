package dev.pacegate.audit;

import dev.pacegate.limit.Promise;
import java.util.List;
import java.util.function.LongFunction;

/**
 * The findings of an {@link Audit}.
 *
 * @param count the number of requests
 * @param cost the sum of their plain costs; saturates at {@link Long#MAX_VALUE}
 * @param first the instant of the first start, 0 if there was none
 * @param last the instant of the last start, 0 if there was none
 * @param ended whether any request had an end other than its start; if not, promises about whole
 *     requests were judged by starts alone
 * @param verdicts one for each promise of the limit, in their order
 */
public record Report(
    long count, long cost, long first, long last, boolean ended, List<Verdict> verdicts) {

  /** Copies the verdicts. */
  public Report {
    verdicts = List.copyOf(verdicts);
  }

  /** Returns whether every promise was kept. */
  public boolean kept() {
    return verdicts.stream().allMatch(Verdict::kept);
  }

  /** Returns a summary line and the lines of each verdict; instants in nanoseconds. */
  public String text() {
    return text(Long::toString);
  }

  /** Returns the lines of {@link #text()} with instants formatted by {@code instants}. */
  public String text(LongFunction<String> instants) {
    var text = new StringBuilder(summary(instants));
    for (Verdict verdict : verdicts) {
      text.append('\n').append(verdict.text(instants));
    }
    return text.toString();
  }

  private String summary(LongFunction<String> instants) {
    if (count == 0) {
      return "0 requests";
    }
    var all = new Stretch(count, first, last);
    return count
        + (count == 1 ? " request" : " requests")
        + (cost == count ? "" : " of cost " + cost)
        + all.within()
        + all.text(instants)
        + (ended || !hasWhole() ? "" : ", no ends: judged by starts alone");
  }

  private boolean hasWhole() {
    return verdicts.stream().map(Verdict::promise).anyMatch(Promise::countsWhole);
  }
}
