package dev.pacegate.engine.feedback;

import dev.pacegate.PeerRefusal;
import dev.pacegate.PeerVerdict;
import dev.pacegate.engine.report.RateText;
import dev.pacegate.engine.report.TimeOfDay;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * What one answer of the peer leads to, so that it is told by one line. Found inside the gate, put
 * into words outside.
 *
 * @param refusal the refusal, if it is one
 * @param pause a long pause, if one begins
 * @param rate the working rate, or that it has ended, if that is new
 */
record PeerNews(
    @Nullable PeerRefusal refusal, @Nullable LongPause pause, @Nullable OptionalDouble rate) {

  /** A pause that is long enough to be told. */
  record LongPause(PeerVerdict verdict, String source, long nanos) {}

  /** Returns in words why an answer with that verdict pauses requests. */
  static String reason(PeerVerdict verdict) {
    if (verdict == PeerVerdict.REFUSED) {
      return "the peer refused a request";
    }
    return verdict == PeerVerdict.OVERLOADED
        ? "the peer is overloaded"
        : "other clients have used the rest of the peer's quota";
  }

  /** Returns this without the refusal, which has been told often enough. */
  PeerNews withoutRefusal() {
    return new PeerNews(null, pause, rate);
  }

  /** Returns this without the working rate. */
  PeerNews withoutRate() {
    return new PeerNews(refusal, pause, null);
  }

  boolean isLowered() {
    return rate != null && rate.isPresent();
  }

  /** Returns whether there is anything to warn of. */
  boolean isWarning() {
    return refusal != null || pause != null || isLowered();
  }

  /** Returns the warning: what has happened, what the limiter does, and what to do about it. */
  String text(Time time) {
    var doing = new StringJoiner(", then ");
    doing.setEmptyValue("");
    if (pause != null) {
      Instant until = time.instant().plusNanos(pause.nanos);
      String source = pause.source.isEmpty() ? "" : " (" + pause.source + ")";
      doing.add(pausing(pause.nanos) + source + ", until " + TimeOfDay.text(until, time));
    } else if (refusal != null && !refusal.pause().isZero()) {
      doing.add(pausing(refusal.pause().toNanos()));
    }
    if (rate != null && rate.isPresent()) {
      doing.add("slowing down to " + RateText.of(rate.getAsDouble()));
    }
    String now = doing.length() == 0 ? "" : ": " + doing;
    return cause() + now + (refusal == null ? "" : "; " + refusal.advice());
  }

  private static String pausing(long nanos) {
    return "pausing for " + Durations.brief(nanos);
  }

  private String cause() {
    if (refusal == null) {
      return reason(pause == null ? PeerVerdict.REFUSED : pause.verdict);
    }
    if (refusal.verdict() == PeerVerdict.OVERLOADED) {
      return "the peer could not serve a request that " + refusal.limit() + " let through";
    }
    List<String> figures = new ArrayList<>();
    refusal.open().ifPresent(open -> figures.add(open + " open"));
    refusal.left().ifPresent(left -> figures.add(left + " left"));
    return "the peer refused a request that "
        + refusal.limit()
        + " let through"
        + (figures.isEmpty() ? "" : ", with " + String.join(" and ", figures));
  }
}
