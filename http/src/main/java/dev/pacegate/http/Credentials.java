package dev.pacegate.http;

import java.io.IOException;
import java.net.Authenticator;
import java.net.Authenticator.RequestorType;
import java.net.MalformedURLException;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rounds of Basic authentication, which are requests of their own. What a server has accepted
 * is sent along at once with further requests to the same folder and below.
 */
final class Credentials {

  private static final String AUTHORIZATION = "Authorization";
  private static final String PROXY_AUTHORIZATION = "Proxy-Authorization";
  private static final Pattern REALM =
      Pattern.compile("realm\\s*=\\s*\"([^\"]*)\"", Pattern.CASE_INSENSITIVE);
  private static final int MOST_REMEMBERED = 1_000;

  private final @Nullable Authenticator authenticator;
  private final Map<String, String> accepted = new ConcurrentHashMap<>();

  Credentials(@Nullable Authenticator authenticator) {
    this.authenticator = authenticator;
  }

  /** Returns the request with what its server has accepted before. */
  HttpRequest prepare(HttpRequest request) {
    if (authenticator == null || accepted.isEmpty() || has(request, AUTHORIZATION)) {
      return request;
    }
    String scope = scope(request.uri());
    while (!scope.isEmpty()) {
      String value = accepted.get(scope);
      if (value != null) {
        return Requests.withHeader(request, AUTHORIZATION, value);
      }
      scope = parent(scope);
    }
    return request;
  }

  /**
   * Returns the request that {@code answer} asks for: the same one with credentials.
   *
   * @throws IOException if the authenticator has none
   */
  @Nullable HttpRequest next(HttpRequest request, ResponseInfo answer) throws IOException {
    int status = answer.statusCode();
    boolean proxy = status == 407;
    if (authenticator == null || !(proxy || status == 401)) {
      return null;
    }
    String header = proxy ? PROXY_AUTHORIZATION : AUTHORIZATION;
    if (has(request, header)) {
      return null;
    }
    String challenge = basic(answer, proxy);
    return challenge == null
        ? null
        : Requests.withHeader(request, header, value(request.uri(), challenge, proxy));
  }

  /** Notes what a server made of credentials. */
  void learn(HttpRequest request, int status) {
    if (authenticator == null) {
      return;
    }
    String scope = scope(request.uri());
    String value = request.headers().firstValue(AUTHORIZATION).orElse(null);
    if (value == null) {
      return;
    }
    if (status == 401) {
      accepted.values().remove(value);
    } else if (accepted.size() < MOST_REMEMBERED) {
      accepted.put(scope, value);
    }
  }

  private static boolean has(HttpRequest request, String header) {
    return request.headers().firstValue(header).isPresent();
  }

  private static @Nullable String basic(ResponseInfo answer, boolean proxy) throws IOException {
    String name = proxy ? "Proxy-Authenticate" : "WWW-Authenticate";
    var challenges = answer.headers().allValues(name);
    if (challenges.isEmpty()) {
      throw new IOException(name + " header missing for response code " + answer.statusCode());
    }
    return challenges.stream()
        .filter(challenge -> challenge.toLowerCase(Locale.ROOT).startsWith("basic"))
        .findFirst()
        .orElse(null);
  }

  private String value(URI uri, String challenge, boolean proxy) throws IOException {
    PasswordAuthentication known = ask(uri, challenge, proxy);
    if (known == null) {
      throw new IOException("No credentials provided");
    }
    Charset charset =
        challenge.toLowerCase(Locale.ROOT).contains("utf-8")
            ? StandardCharsets.UTF_8
            : StandardCharsets.ISO_8859_1;
    String pair = known.getUserName() + ":" + new String(known.getPassword());
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(charset));
  }

  private @Nullable PasswordAuthentication ask(URI uri, String challenge, boolean proxy)
      throws IOException {
    if (authenticator == null) {
      return null;
    }
    Matcher realm = REALM.matcher(challenge);
    try {
      return authenticator.requestPasswordAuthenticationInstance(
          uri.getHost(),
          null,
          uri.getPort(),
          uri.getScheme(),
          realm.find() ? realm.group(1) : "",
          "Basic",
          uri.toURL(),
          proxy ? RequestorType.PROXY : RequestorType.SERVER);
    } catch (MalformedURLException noUrl) {
      throw new IOException(noUrl);
    }
  }

  /** Returns the origin and the folder, which ends with a slash. */
  private static String scope(URI uri) {
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    String folder = path.substring(0, path.lastIndexOf('/') + 1);
    String origin = uri.getScheme().toLowerCase(Locale.ROOT) + ":" + RequestKey.hostOf(uri);
    return origin + (folder.isEmpty() ? "/" : folder);
  }

  private static String parent(String scope) {
    int slash = scope.lastIndexOf('/', scope.length() - 2);
    return slash < 0 ? "" : scope.substring(0, slash + 1);
  }
}
