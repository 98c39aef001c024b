package dev.pacegate.engine.feedback;

import dev.pacegate.PeerPause;
import dev.pacegate.PeerRefusal;
import dev.pacegate.PeerVerdict;
import dev.pacegate.engine.report.Reporter;
import dev.pacegate.limit.Limit;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalDouble;

/** Reports what an answer of the peer has led to, by one line. Called outside the gate. */
record PeerLog(Reporter reporter) {

  /**
   * Reports {@code news}. The listener hears each refusal; the log gets one a minute, so that a
   * storm of them is one line, and a rate that is lowered.
   */
  void tell(PeerNews news, Limit limit) {
    OptionalDouble rate = news.rate();
    if (rate != null) {
      reporter.recordChanged("working rate", limit, rateText(rate, limit));
      if (rate.isEmpty()) {
        reporter.log(Level.INFO, "the peer accepts " + limit + " again");
      }
    }
    tellListener(news);
    PeerNews line = pressing(news);
    if (line.isWarning()) {
      reporter.log(Level.WARNING, line.text(reporter.time()));
    }
  }

  /** Reports that {@code counted=headers} does not fit the peer. */
  void tellContradiction(Limit limit) {
    reporter.log(
        Level.WARNING,
        "counted=headers has no effect from now on, under "
            + limit
            + ": the peer refused a request, or its headers show that it counts some requests"
            + " later, or a cost was settled; permits are in use until their responses end");
  }

  private static Object rateText(OptionalDouble rate, Limit limit) {
    return rate.isPresent() ? rate.getAsDouble() + "/1s" : limit;
  }

  /** Leaves out what was logged within the last minute. */
  private PeerNews pressing(PeerNews news) {
    long now = System.nanoTime(); // a simulation of days writes no more lines
    PeerNews line = news;
    if (news.refusal() != null && !reporter.isDue("refusal", now)) {
      line = line.withoutRefusal();
    }
    return news.isLowered() && !reporter.isDue("lowered", now) ? line.withoutRate() : line;
  }

  private void tellListener(PeerNews news) {
    OptionalDouble rate = news.rate();
    if (rate != null) {
      reporter.tell(l -> l.onWorkingRate(rate));
    }
    PeerRefusal refusal = news.refusal();
    if (refusal != null) {
      reporter.tell(l -> l.onPeerRefusal(refusal));
    }
    PeerNews.LongPause pause = news.pause();
    if (pause != null) {
      var length = Duration.ofNanos(pause.nanos());
      Instant until = reporter.time().instant().plus(length);
      var told =
          new PausedByPeer(
              reporter.limiter(),
              pause.verdict(),
              PeerNews.reason(pause.verdict()),
              pause.source(),
              length,
              until);
      reporter.tell(l -> l.onPeerPause(told));
    }
  }

  private record PausedByPeer(
      String limiter,
      PeerVerdict verdict,
      String reason,
      String source,
      Duration length,
      Instant until)
      implements PeerPause {}
}
