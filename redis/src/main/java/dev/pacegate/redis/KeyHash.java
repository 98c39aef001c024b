package dev.pacegate.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Hashes of keys, made with a secret: who can read the store cannot tell the keys, such as names of
 * accounts, nor guess them without it. 128 bits of HMAC-SHA-256.
 *
 * <p>Thread-safe.
 */
final class KeyHash {

  private static final int BYTES = 16;
  private static final int SHORTEST = 16;

  private final SecretKeySpec secret;
  private final ThreadLocal<Mac> macs = ThreadLocal.withInitial(this::newMac);

  /**
   * @throws IllegalArgumentException if the secret has fewer than 16 characters
   */
  KeyHash(String secret) {
    if (secret.length() < SHORTEST) {
      throw new IllegalArgumentException(
          "a secret must have at least " + SHORTEST + " characters: it has " + secret.length());
    }
    this.secret = new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256");
  }

  private Mac newMac() {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(secret);
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every platform has HmacSHA256", e);
    }
  }

  /** Returns the hash of a key of that name. The same key has other hashes under other names. */
  String of(String name, Object key) {
    byte[] hash = macs.get().doFinal((name + '\0' + key).getBytes(UTF_8));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(hash, BYTES));
  }

  /** Returns what is the same for all who have the same secret, and tells nothing of it. */
  String check(String name) {
    return of(name, "").substring(0, 8);
  }
}
