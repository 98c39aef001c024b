package dev.pacegate.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("dev.pacegate.Change")
@Label("Change of a Limit")
@Category("Pacegate")
@StackTrace(false)
@Description("Another limit is in force")
final class ChangeEvent extends Event {

  @Label("Limiter")
  @Nullable String limiter;

  @Label("What")
  @Nullable String what;

  @Label("From")
  @Nullable String from;

  @Label("To")
  @Nullable String to;

  static void record(String limiter, String what, Object from, Object to) {
    var event = new ChangeEvent();
    if (event.shouldCommit()) {
      event.limiter = limiter;
      event.what = what;
      event.from = from.toString();
      event.to = to.toString();
      event.commit();
    }
  }
}
