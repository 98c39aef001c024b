package dev.pacegate.redis;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** How a process is called. */
final class ProcessLabel {

  private ProcessLabel() {}

  /** Returns the number of this process, and its host if that is known. */
  static String usual() {
    long number = ProcessHandle.current().pid();
    try {
      return number + "@" + InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return Long.toString(number);
    }
  }
}
