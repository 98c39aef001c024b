package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpServerRequest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The key by which a request is counted: a digest of a header's value, which may be a credential,
 * and long. It differs from process to process, so nothing can be learned from it. Thread-safe.
 */
final class HeaderKey {

  /** Of all requests without the header. */
  static final String NONE = "none";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

  private static final int BYTES = 16; // enough that no two values meet

  private final String header;
  private final byte[] salt = new byte[BYTES];

  HeaderKey(String header) {
    if (!isName(header)) {
      throw new IllegalArgumentException("no header can have the name '" + header + "'");
    }
    this.header = header;
    new SecureRandom().nextBytes(salt);
  }

  static boolean isName(String header) {
    return NAME.matcher(header).matches();
  }

  String of(HttpServerRequest request) {
    return of(request.headers().getAll(header));
  }

  String of(List<String> values) {
    return values.isEmpty() ? NONE : digest(String.join(",", values));
  }

  private String digest(String value) {
    try {
      var sha = MessageDigest.getInstance("SHA-256");
      sha.update(salt);
      byte[] digest = Arrays.copyOf(sha.digest(value.getBytes(UTF_8)), BYTES);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
