package dev.pacegate.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

@Name("dev.pacegate.Pause")
@Label("Pause")
@Category("Pacegate")
@StackTrace(false)
@Description("A limiter lets no request through for a time")
final class PauseEvent extends Event {

  @Label("Limiter")
  @Nullable String limiter;

  @Label("Length")
  @Description("The largest value there is: until resumed")
  @Timespan(Timespan.NANOSECONDS)
  long length;

  @Label("Reason")
  @Nullable String reason;

  static void record(String limiter, long nanos, String reason) {
    var event = new PauseEvent();
    if (event.shouldCommit()) {
      event.limiter = limiter;
      event.length = nanos;
      event.reason = reason;
      event.commit();
    }
  }
}
