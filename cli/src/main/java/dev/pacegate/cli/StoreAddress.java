package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a store is.
 *
 * @param scheme {@code redis} or {@code rediss}, or these with {@code -sentinel}
 * @param user empty for the usual user
 * @param place host and port, and the database if that is not the first; of Sentinel several of
 *     them, and the name behind {@code #}
 */
record StoreAddress(String scheme, String user, String place) {

  private static final Pattern FORM =
      Pattern.compile("(rediss?(-sentinel)?)://(?:([^@]+)@)?([^/#]+)((?:/\\d*)?)((?:#[^#]+)?)");
  private static final Pattern SERVER =
      Pattern.compile("(?:[\\w.-]+|\\[[0-9a-fA-F:.]+])(?::(\\d{1,5}))?");
  private static final int LARGEST_PORT = 65535;

  /**
   * Parses what a user wrote. Messages do not repeat what stands before an {@code @}: it may be a
   * password.
   *
   * @param remedy says where to put a password
   */
  static StoreAddress parse(String text, String remedy) throws Failure {
    if (decode(text.replaceFirst("^[\\w-]*://", "")).matches("(?s)[^@]*:.*@.*")) {
      throw new Failure(
          "--store must not contain a password because all users of this machine can see arguments: "
              + remedy);
    }
    Matcher form = FORM.matcher(text);
    if (!form.matches() || !arePlaces(form)) {
      throw new Failure(
          "--store must be redis://HOST:PORT or rediss://HOST:PORT, with USER@ before HOST if need"
              + " be, or redis-sentinel://HOST:PORT,HOST:PORT#NAME: "
              + text.replaceFirst("(?s).*@", "…@"));
    }
    String user = form.group(3) == null ? "" : decode(form.group(3));
    return new StoreAddress(form.group(1), user, form.group(4) + form.group(5) + form.group(6));
  }

  // Only Sentinels are several, and know servers by names.
  private static boolean arePlaces(Matcher form) {
    boolean ofSentinel = form.group(2) != null;
    String[] servers = form.group(4).split(",", -1);
    return Arrays.stream(servers).allMatch(StoreAddress::isServer)
        && (servers.length == 1 || ofSentinel)
        && form.group(6).isEmpty() != ofSentinel;
  }

  private static boolean isServer(String text) {
    Matcher server = SERVER.matcher(text);
    return server.matches() && isPort(server.group(1));
  }

  private static boolean isPort(@Nullable String port) {
    return port == null || (Integer.parseInt(port) > 0 && Integer.parseInt(port) <= LARGEST_PORT);
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
    } catch (IllegalArgumentException noEscape) {
      return text;
    }
  }

  /** Returns the address with the password, as the Redis client takes it. */
  String uri(@Nullable String password) {
    String login = password == null ? "" : encode(user) + ":" + encode(password) + "@";
    return scheme + "://" + login + place;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  /** Returns the address without the user. */
  @Override
  public String toString() {
    return scheme + "://" + place;
  }
}
