package dev.pacegate.cli;

import java.net.InetSocketAddress;

/** Reads where to listen. */
final class HostPort {

  private HostPort() {}

  /** Reads an address such as {@code 127.0.0.1:8080} or {@code [::1]:8080}; port 0 means any. */
  static InetSocketAddress parse(String option, String text) throws Failure {
    int colon = text.lastIndexOf(':');
    String host = text.substring(0, Math.max(0, colon));
    boolean bracketed = host.matches("\\[.*:.*]");
    try {
      if (!host.isEmpty() && (bracketed || !host.matches(".*[:\\[\\]].*"))) {
        return InetSocketAddress.createUnresolved(
            bracketed ? host.substring(1, host.length() - 1) : host,
            Integer.parseInt(text.substring(colon + 1)));
      }
    } catch (IllegalArgumentException e) {
      // as below
    }
    throw new Failure(option + " must be HOST:PORT, such as 127.0.0.1:8080: " + text);
  }

  /** Returns the text of an address. */
  static String text(InetSocketAddress address) {
    String host = address.getHostString();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
  }
}
