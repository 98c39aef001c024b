package dev.pacegate.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

@Name("dev.pacegate.Lost")
@Label("Lost Permit")
@Category("Pacegate")
@StackTrace(false)
@Description("A permit ended without a known outcome, so it stays spent for some time")
final class LostEvent extends Event {

  @Label("Limiter")
  @Nullable String limiter;

  @Label("Cost")
  long cost;

  @Label("Open")
  @Description("For how long it was open")
  @Timespan(Timespan.NANOSECONDS)
  long open;

  @Label("Abandoned")
  @Description("Whether the program has not ended it")
  boolean abandoned;

  static void record(String limiter, long cost, long openNanos, boolean abandoned) {
    var event = new LostEvent();
    if (event.shouldCommit()) {
      event.limiter = limiter;
      event.cost = cost;
      event.open = openNanos;
      event.abandoned = abandoned;
      event.commit();
    }
  }
}
