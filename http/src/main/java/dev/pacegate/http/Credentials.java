package dev.pacegate.http;

import java.io.IOException;
import java.net.Authenticator;
import java.net.Authenticator.RequestorType;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
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
 * The rounds of Basic authentication, which are requests of their own. Credentials that a server
 * has accepted are sent with further requests to the same folder and below; those that a proxy has
 * accepted, with all requests through it. An authorization header that the caller has set is
 * neither stored nor replaced.
 */
final class Credentials {

  private static final int MOST_REMEMBERED = 1_000;
  private static final Pattern REALM =
      Pattern.compile("realm\\s*=\\s*\"([^\"]*)\"", Pattern.CASE_INSENSITIVE);

  /** The side that asks for credentials. */
  private enum Side {
    SERVER(401, "WWW-Authenticate", "Authorization"),
    PROXY(407, "Proxy-Authenticate", "Proxy-Authorization");

    final int status;
    final String challenge;
    final String header;

    Side(int status, String challenge, String header) {
      this.status = status;
      this.challenge = challenge;
      this.header = header;
    }
  }

  /**
   * A request, and the credentials it carries.
   *
   * @param asked the request without these credentials
   * @param server those for its server; null if none
   * @param proxy those for its proxy; null if none
   */
  record Round(HttpRequest asked, @Nullable Sent server, @Nullable Sent proxy) {

    HttpRequest request() {
      HttpRequest request = asked;
      if (server != null) {
        request = Requests.withHeader(request, Side.SERVER.header, server.value);
      }
      return proxy == null ? request : Requests.withHeader(request, Side.PROXY.header, proxy.value);
    }

    private @Nullable Sent of(Side side) {
      return side == Side.SERVER ? server : proxy;
    }

    private Round with(Side side, Sent sent) {
      return side == Side.SERVER ? new Round(asked, sent, proxy) : new Round(asked, server, sent);
    }
  }

  /**
   * Credentials that are sent.
   *
   * @param scope the key under which they are stored
   * @param fresh whether the authenticator gave them in this round
   */
  record Sent(String value, String scope, boolean fresh) {}

  private final @Nullable Authenticator authenticator;
  private final @Nullable ProxySelector proxies;
  private final Map<String, String> accepted = new ConcurrentHashMap<>();

  Credentials(@Nullable Authenticator authenticator, @Nullable ProxySelector proxies) {
    this.authenticator = authenticator;
    this.proxies = proxies;
  }

  /** Begins with the credentials that were accepted before. */
  Round begin(HttpRequest request) {
    if (accepted.isEmpty()) {
      return new Round(request, null, null);
    }
    return new Round(request, remembered(request), rememberedOfProxy(request));
  }

  private @Nullable Sent remembered(HttpRequest request) {
    String scope = has(request, Side.SERVER) ? "" : scope(request.uri());
    while (!scope.isEmpty()) {
      String value = accepted.get(scope);
      if (value != null) {
        return new Sent(value, scope, false);
      }
      scope = parent(scope);
    }
    return null;
  }

  private @Nullable Sent rememberedOfProxy(HttpRequest request) {
    InetSocketAddress proxy = has(request, Side.PROXY) ? null : proxy(request.uri());
    String value = proxy == null ? null : accepted.get(scope(proxy));
    return proxy == null || value == null ? null : new Sent(value, scope(proxy), false);
  }

  /**
   * Returns the request that {@code answer} asks for: the same one with other credentials. Null if
   * it asks for none, or has refused fresh ones.
   *
   * @throws IOException if the authenticator has none
   */
  @Nullable Round next(Round round, ResponseInfo answer) throws IOException {
    if (authenticator == null) {
      return null;
    }
    Side side = sideOf(answer.statusCode());
    learn(round, side);
    if (side == null || has(round.asked, side)) {
      return null;
    }
    Sent refused = round.of(side);
    String challenge = refused != null && refused.fresh ? null : basic(answer, side);
    if (challenge == null) {
      return null;
    }
    InetSocketAddress proxy = side == Side.PROXY ? proxy(round.asked.uri()) : null;
    if (side == Side.PROXY && proxy == null) {
      return null; // a server that answers as a proxy would
    }
    String scope = proxy == null ? scope(round.asked.uri()) : scope(proxy);
    return round.with(
        side, new Sent(value(authenticator, round.asked.uri(), challenge, proxy), scope, true));
  }

  private static @Nullable Side sideOf(int status) {
    for (Side side : Side.values()) {
      if (side.status == status) {
        return side;
      }
    }
    return null;
  }

  /** If the server was reached, the proxy accepted its credentials, whatever the server says. */
  private void learn(Round round, @Nullable Side refusing) {
    if (refusing != Side.PROXY) {
      accept(round.proxy);
    }
    if (refusing == null) {
      accept(round.server);
    }
    Sent refused = refusing == null ? null : round.of(refusing);
    if (refused != null) {
      accepted.remove(refused.scope, refused.value);
    }
  }

  private void accept(@Nullable Sent sent) {
    if (sent != null && sent.fresh && accepted.size() < MOST_REMEMBERED) {
      accepted.put(sent.scope, sent.value);
    }
  }

  private static boolean has(HttpRequest request, Side side) {
    return request.headers().firstValue(side.header).isPresent();
  }

  private static @Nullable String basic(ResponseInfo answer, Side side) throws IOException {
    var challenges = answer.headers().allValues(side.challenge);
    if (challenges.isEmpty()) {
      throw new IOException(side.challenge + " header missing for response code " + side.status);
    }
    return challenges.stream()
        .filter(challenge -> challenge.toLowerCase(Locale.ROOT).startsWith("basic"))
        .findFirst()
        .orElse(null);
  }

  private static String value(
      Authenticator authenticator, URI uri, String challenge, @Nullable InetSocketAddress proxy)
      throws IOException {
    PasswordAuthentication known = ask(authenticator, uri, challenge, proxy);
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

  private static @Nullable PasswordAuthentication ask(
      Authenticator authenticator, URI uri, String challenge, @Nullable InetSocketAddress proxy)
      throws IOException {
    Matcher realm = REALM.matcher(challenge);
    return authenticator.requestPasswordAuthenticationInstance(
        proxy == null ? uri.getHost() : proxy.getHostString(),
        null,
        proxy == null ? uri.getPort() : proxy.getPort(),
        uri.getScheme(),
        realm.find() ? realm.group(1) : "",
        "Basic",
        uri.toURL(),
        proxy == null ? RequestorType.SERVER : RequestorType.PROXY);
  }

  private @Nullable InetSocketAddress proxy(URI uri) {
    if (proxies == null) {
      return null;
    }
    for (Proxy proxy : proxies.select(uri)) {
      if (proxy.type() == Proxy.Type.HTTP && proxy.address() instanceof InetSocketAddress address) {
        return address;
      }
    }
    return null;
  }

  private static String scope(InetSocketAddress proxy) {
    return "proxy " + proxy.getHostString() + ":" + proxy.getPort();
  }

  /** Returns the origin and the folder, with a slash at the end. */
  private static String scope(URI uri) {
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    String folder = path.substring(0, path.lastIndexOf('/') + 1);
    return Requests.origin(uri) + (folder.isEmpty() ? "/" : folder);
  }

  private static String parent(String scope) {
    int slash = scope.lastIndexOf('/', scope.length() - 2);
    return slash < 0 ? "" : scope.substring(0, slash + 1);
  }
}
