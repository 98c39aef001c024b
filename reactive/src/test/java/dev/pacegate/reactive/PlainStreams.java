package dev.pacegate.reactive;

import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Runs a stream through each operator, with a wait, and returns what has come through. */
final class PlainStreams implements Callable<Map<String, String>> {

  @Override
  public Map<String, String> call() {
    ManualTime time = ManualTime.manual();
    var came = new TreeMap<String, String>();
    for (String name : ContextOperators.names()) {
      var sink = new Kept<Object>(time, Long.MAX_VALUE);
      new ContextOperators(time, Runnable::run)
          .operator(name, element -> {}, CompletableFuture::completedFuture)
          .apply(Source.of("a", "b", "c"))
          .subscribe(sink);
      time.advance(Duration.ofSeconds(10));
      came.put(name, sink.elements + (sink.completed ? " completed" : " " + sink.failure));
    }
    return came;
  }

  /** Returns whether the class loader of this class finds another. */
  static boolean finds(String type) {
    try {
      Class.forName(type);
      return true;
    } catch (ClassNotFoundException absent) {
      return false;
    }
  }
}
