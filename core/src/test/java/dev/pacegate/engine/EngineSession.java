package dev.pacegate.engine;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Begins to watch before JUnit looks for tests, as it then loads all types that their methods name.
 * JUnit finds it by {@code META-INF/services}.
 */
public final class EngineSession implements LauncherSessionListener {

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    EngineWatch.begin();
  }
}
