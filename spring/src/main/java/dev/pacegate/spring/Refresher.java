package dev.pacegate.spring;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;

/**
 * Puts changed properties in force: every so often, and when Spring Cloud says that the environment
 * has changed. A value that is no limit is logged once and changes nothing.
 */
final class Refresher implements ApplicationListener<ApplicationEvent>, AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.pacegate");

  /** By name, as Spring Cloud need not be there. */
  private static final String CHANGED =
      "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

  private final PacegateLimits limits;
  private final @Nullable ScheduledExecutorService thread;
  private volatile String complaint = "";

  @SuppressWarnings("FutureReturnValueIgnored") // refresh() throws nothing
  Refresher(PacegateLimits limits, Duration every) {
    this.limits = limits;
    this.thread =
        every.toNanos() > 0 ? Executors.newSingleThreadScheduledExecutor(Refresher::daemon) : null;
    if (thread != null) {
      thread.scheduleWithFixedDelay(
          this::refresh, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private static Thread daemon(Runnable work) {
    var thread = new Thread(work, "pacegate-refresh");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void onApplicationEvent(ApplicationEvent event) {
    for (Class<?> type = event.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().equals(CHANGED)) {
        refresh();
      }
    }
  }

  void refresh() {
    try {
      limits.reload();
      complaint = "";
    } catch (RuntimeException wrong) {
      complain(Objects.toString(wrong.getMessage(), wrong.toString()));
    }
  }

  private void complain(String problem) {
    if (!problem.equals(complaint)) {
      complaint = problem;
      LOG.log(Level.WARNING, "the limits stay as they are: {0}", problem);
    }
  }

  @Override
  public void close() {
    if (thread != null) {
      thread.shutdownNow();
    }
  }
}
