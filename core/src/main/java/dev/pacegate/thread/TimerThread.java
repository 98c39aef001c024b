package dev.pacegate.thread;

/**
 * The thread of a timer, on which all limiters of a process may wait. It is a daemon, and inherits
 * neither thread locals nor class loader nor priority from the thread that starts it.
 */
public final class TimerThread extends Thread {

  @SuppressWarnings("ThreadPriorityCheck") // so that it is not what the caller's happens to be
  public TimerThread(Runnable work, String name) {
    super(null, work, name, 0, false);
    setDaemon(true);
    setPriority(NORM_PRIORITY);
    setContextClassLoader(ClassLoader.getSystemClassLoader());
  }

  /** Returns whether the calling thread is one: it must not block, nor call what may. */
  public static boolean isHere() {
    return Thread.currentThread() instanceof TimerThread;
  }
}
