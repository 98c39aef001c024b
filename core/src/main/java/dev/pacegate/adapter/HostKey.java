package dev.pacegate.adapter;

import java.net.IDN;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The host of a target as a key, always spelled in the same way. */
public final class HostKey {

  private static final Pattern HOST_AND_PORT = Pattern.compile("(.*):(\\d*)");

  private HostKey() {}

  /**
   * Returns the host of {@code target}: in lower case, with the port if that is not the scheme's
   * default, without a dot at the end, an international name as resolvers get it ({@code xn--}),
   * and an address always in the same form.
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

  /**
   * As {@link #of(URI)}, of a host that stands alone, {@code example.com} or {@code
   * example.com:8443}. A port stays, as the scheme's default is not known.
   */
  public static String of(String host) {
    Matcher parts = HOST_AND_PORT.matcher(host);
    return parts.matches() ? plain(parts.group(1)) + ":" + parts.group(2) : plain(host);
  }

  private static int defaultPort(URI target) {
    String scheme = target.getScheme();
    return "https".equalsIgnoreCase(scheme) || "wss".equalsIgnoreCase(scheme) ? 443 : 80;
  }

  private static String plain(String host) {
    if (host.startsWith("[")) {
      return address(host);
    }
    String lower = ascii(host).toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  /** Returns an international name as resolvers get it. */
  private static String ascii(String host) {
    if (isAscii(host)) { // as most are: to convert them would take longer than all the rest
      return host;
    }
    try {
      return IDN.toASCII(host);
    } catch (IllegalArgumentException none) {
      return host;
    }
  }

  private static boolean isAscii(String host) {
    for (int i = 0; i < host.length(); i++) {
      if (host.charAt(i) > 127) {
        return false;
      }
    }
    return true;
  }

  /** An address is not looked up. One of IPv4 may be written as one of IPv6. */
  private static String address(String host) {
    try {
      InetAddress address = InetAddress.getByName(host);
      String text = address.getHostAddress();
      return address instanceof Inet4Address ? text : "[" + text + "]";
    } catch (UnknownHostException scoped) {
      return host.toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A host that is none by the rules of URIs, such as {@code my_service:8080} or {@code bücher}.
   */
  private static String unusual(URI target) {
    String authority = target.getAuthority() == null ? "" : target.getAuthority();
    String host = authority.substring(authority.lastIndexOf('@') + 1);
    Matcher parts = HOST_AND_PORT.matcher(host);
    if (!parts.matches()) {
      return plain(host);
    }
    String port = parts.group(2);
    boolean isDefault = port.isEmpty() || port.equals("" + defaultPort(target));
    return plain(parts.group(1)) + (isDefault ? "" : ":" + port);
  }
}
