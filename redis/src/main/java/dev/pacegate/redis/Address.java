package dev.pacegate.redis;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a script works on: the limit of a name, or that of one of its keys.
 *
 * @param name of the limit, or of the limit that all keys have
 * @param hash of the key; null if the limit has no keys
 * @param check tells whether all processes hash keys with the same secret; empty without keys
 */
record Address(String name, @Nullable String hash, String check) {

  /** Returns the address of a limit without keys. */
  static Address of(String name) {
    return new Address(name, null, "");
  }

  /** Returns the keys in the store. The braces keep those of a name on one server. */
  List<String> keys() {
    String record = "pacegate:{" + name + "}";
    return hash == null ? List.of(record) : List.of(record, record + ":" + hash);
  }
}
