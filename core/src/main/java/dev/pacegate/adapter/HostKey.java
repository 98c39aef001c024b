package dev.pacegate.adapter;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Locale;

/** The host of a target as a key, always spelled in the same way. */
public final class HostKey {

  private HostKey() {}

  /**
   * Returns the host of {@code target}: in lower case, with the port if that is not the scheme's
   * default, without a dot at the end, and an IPv6 address always in the same form.
   */
  public static String of(URI target) {
    String host = target.getHost();
    int port = target.getPort();
    if (host == null) {
      return unusual(target);
    }
    boolean isDefault = port < 0 || port == defaultPort(target);
    return isDefault ? plain(host) : plain(host) + ":" + port;
  }

  private static int defaultPort(URI target) {
    return "https".equalsIgnoreCase(target.getScheme()) ? 443 : 80;
  }

  private static String plain(String host) {
    if (host.startsWith("[")) {
      return address(host);
    }
    String lower = host.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  /** An address is not looked up. */
  private static String address(String host) {
    try {
      return "[" + InetAddress.getByName(host).getHostAddress() + "]";
    } catch (UnknownHostException scoped) {
      return host.toLowerCase(Locale.ROOT);
    }
  }

  /** A host that is none by the rules of URIs, such as {@code my_service:8080}. */
  private static String unusual(URI target) {
    String authority = target.getRawAuthority() == null ? "" : target.getRawAuthority();
    String host = plain(authority.substring(authority.indexOf('@') + 1));
    String suffix = ":" + defaultPort(target);
    return host.endsWith(suffix) ? host.substring(0, host.length() - suffix.length()) : host;
  }
}
