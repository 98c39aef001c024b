package dev.pacegate.proxy;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which requests are not passed on, as two programs might read them differently. */
final class RequestRules {

  /** A segment that is {@code .} or {@code ..}, also encoded or with parameters. */
  private static final Pattern DOTS =
      Pattern.compile("(?:/|%2f)(?:\\.|%2e){1,2}(?:/|%2f|;|%3b|$)", Pattern.CASE_INSENSITIVE);

  private static final Pattern BACKSLASH_OR_NUL =
      Pattern.compile("\\\\|%5c|%00", Pattern.CASE_INSENSITIVE);

  /** What must be encoded, and {@code #}, which no target has. */
  private static final Pattern UNSENDABLE = Pattern.compile("[^\\x21-\\x7e]|#");

  /** What most targets consist of, and no rule is about. */
  private static final Pattern PLAIN = Pattern.compile("/[a-zA-Z0-9/_-]*");

  private static final Pattern BAD_ESCAPE = Pattern.compile("%(?![0-9a-fA-F]{2})");

  private RequestRules() {}

  /** Returns why the request is not passed on, or null. */
  static @Nullable Rejection check(HttpServerRequest request) {
    if (request.decoderResult().isFailure()) {
      return malformed(request.decoderResult().cause());
    }
    if (request.version() == HttpVersion.HTTP_1_0
        && request.headers().contains("Transfer-Encoding")) {
      return Rejection.of(400, "HTTP/1.0 has no Transfer-Encoding");
    }
    if (request.method().equals(HttpMethod.CONNECT)) {
      return Rejection.of(501, "CONNECT is not passed on: this is no forward proxy");
    }
    if (!namesHost(request)) {
      return Rejection.of(400, "there is no Host");
    }
    if (isMalformedHost(request)) {
      return Rejection.of(400, "the Host is malformed");
    }
    Rejection refusal = checkTarget(request.uri(), request.method());
    return refusal != null ? refusal : checkHeaders(request.headers());
  }

  private static boolean namesHost(HttpServerRequest request) {
    return switch (request.version()) {
      case HTTP_1_0 -> true;
      case HTTP_1_1 -> request.headers().contains("Host");
      case HTTP_2 -> request.authority() != null;
    };
  }

  /** An empty one is none. Escapes there would make another name of the same one. */
  private static boolean isMalformedHost(HttpServerRequest request) {
    String host = request.getHeader("Host");
    HostAndPort asked = request.authority();
    return asked == null ? host != null && !host.isBlank() : asked.host().contains("%");
  }

  private static Rejection malformed(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return Rejection.of(414, "the target is too long");
    }
    return cause instanceof TooLongHttpHeaderException
        ? Rejection.of(431, "the headers are too long")
        : Rejection.of(400, "the request is malformed");
  }

  private static @Nullable Rejection checkTarget(String target, HttpMethod method) {
    if (PLAIN.matcher(target).matches()) {
      return null;
    }
    if (target.equals("*") && method.equals(HttpMethod.OPTIONS)) {
      return null;
    }
    if (!target.startsWith("/")) {
      return Rejection.of(400, "the target must be a path: this is no forward proxy");
    }
    if (UNSENDABLE.matcher(target).find()) {
      return Rejection.of(400, "the target has characters that must be encoded");
    }
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    return isAmbiguous(path) ? Rejection.of(400, "the path is ambiguous") : null;
  }

  static boolean isAmbiguous(String path) {
    return DOTS.matcher(path).find()
        || BACKSLASH_OR_NUL.matcher(path).find()
        || BAD_ESCAPE.matcher(path).find();
  }

  private static @Nullable Rejection checkHeaders(MultiMap headers) {
    if (headers.getAll("Host").size() > 1) {
      return Rejection.of(400, "there is more than one Host");
    }
    String upgrade = headers.get("Upgrade");
    boolean isOffer = "h2c".equalsIgnoreCase(upgrade); // of the JDK's client; it may be ignored
    if (upgrade != null && !isOffer && names(headers, "Connection", "upgrade")) {
      return Rejection.of(501, "upgrades, such as WebSocket, are not passed on");
    }
    String coding = headers.get("Transfer-Encoding");
    if (coding != null && headers.contains("Content-Length")) {
      return Rejection.of(400, "there are a Content-Length and a Transfer-Encoding");
    }
    if (coding != null && !coding.strip().equalsIgnoreCase("chunked")) {
      return Rejection.of(501, "the only Transfer-Encoding is chunked");
    }
    return null;
  }

  /** Returns whether the client sends its body when it is told to. */
  static boolean expectsContinue(HttpServerRequest request) {
    return request.version() != HttpVersion.HTTP_1_0
        && names(request.headers(), "Expect", "100-continue");
  }

  /** Returns whether a header is a list with that token. */
  static boolean names(MultiMap headers, String header, String token) {
    return headers.contains(header)
        && headers.getAll(header).stream()
            .flatMap(value -> Pattern.compile(",").splitAsStream(value))
            .anyMatch(named -> named.strip().toLowerCase(Locale.ROOT).equals(token));
  }
}
