import org.junit.platform.launcher.LauncherInterceptor;

/** Runs the tests of a JVM again, as often as the property {@code pacegate.repeat} says; for .ci/flakes. */
public final class Repeat implements LauncherInterceptor {

  private static final int TIMES = Integer.getInteger("pacegate.repeat", 1);

  /** Set while tests run: those that a test runs in turn, with classes loaded anew, are not repeated. */
  private static final String RUNS = "pacegate.repeat.runs";

  @Override
  public <T> T intercept(Invocation<T> invocation) {
    if (System.getProperty(RUNS) != null) {
      return invocation.proceed();
    }
    System.setProperty(RUNS, "");
    try {
      T result = invocation.proceed();
      boolean tests = result == null; // what makes a launcher, or looks for tests, has a result
      for (int i = 1; tests && i < TIMES; i++) {
        invocation.proceed();
      }
      return result;
    } finally {
      System.clearProperty(RUNS);
    }
  }

  @Override
  public void close() {}
}
