package dev.pacegate.micrometer;

import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.limit.spi.NewsSink;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Counts as the limit does, and can cease to give permits, as a shared store does. */
final class FencedSource implements MeterSource {

  private volatile @Nullable String why;
  private @Nullable NewsSink sink;

  @Override
  public FedMeter newMeter(MeterContext context) {
    sink = context.sink();
    Meter inner = context.limit().newMeter(context.now());
    return (FedMeter)
        Proxy.newProxyInstance(
            FedMeter.class.getClassLoader(),
            new Class<?>[] {FedMeter.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "unavailable" -> why;
                  case "fails" -> why != null;
                  case "errand", "retire" -> null;
                  case "goesOnFrom" -> false;
                  case "nanosUntil" ->
                      why == null ? call(inner, method, arguments) : Meter.AT_EVENT;
                  default -> call(inner, method, arguments);
                });
  }

  private static @Nullable Object call(Meter inner, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(inner, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Gives permits again if {@code reason} is null. */
  void unavailable(@Nullable String reason) {
    why = reason;
    if (sink != null) {
      sink.tell(now -> {});
    }
  }
}
