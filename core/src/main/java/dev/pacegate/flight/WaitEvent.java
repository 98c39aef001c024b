package dev.pacegate.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

@Name("dev.pacegate.Wait")
@Label("Wait for a Permit")
@Category("Pacegate")
@StackTrace(false)
@Description("A request waited in the queue of a limiter")
@Threshold("20 ms")
final class WaitEvent extends Event implements Flight.Wait {

  @Label("Limiter")
  @Nullable String limiter;

  @Label("Cost")
  long cost;

  @Label("Granted")
  @Description("Whether the request was granted a permit, rather than refused or given up")
  boolean granted;

  static @Nullable WaitEvent begun() {
    var event = new WaitEvent();
    if (!event.isEnabled()) {
      return null;
    }
    event.begin();
    return event;
  }

  @Override
  public void end(String limiter, long cost, boolean granted) {
    end();
    if (shouldCommit()) {
      this.limiter = limiter;
      this.cost = cost;
      this.granted = granted;
      commit();
    }
  }
}
