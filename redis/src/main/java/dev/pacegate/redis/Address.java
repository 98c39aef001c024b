package dev.pacegate.redis;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a script works on: the limit of a name, or that of one of its keys.
 *
 * @param name of the limit, or of the limit that all keys have
 * @param tag over which of its {@linkplain Tags tags} the key is; 0 if they are not spread
 * @param record the key of the record in the store
 * @param hash of the key; null if the limit has no keys
 * @param check tells whether all processes hash keys with the same secret, and spread them over as
 *     many tags; empty without keys
 */
record Address(String name, int tag, String record, @Nullable String hash, String check) {

  /** Of what is not spread. */
  Address(String name, @Nullable String hash, String check) {
    this(name, 0, Tags.record(name), hash, check);
  }

  /** Returns the address of a limit without keys. */
  static Address of(String name) {
    return new Address(name, null, "");
  }

  /** Returns the address of the limit that all keys of a tag have. */
  static Address of(String name, Tags tags, int tag, String secret) {
    return new Address(name, tag, tags.record(tag), null, tags.check(secret));
  }

  /** Returns whether it is that of keys that are spread over several tags. */
  boolean isSpread() {
    return check.indexOf('/') >= 0;
  }

  /** Returns the keys in the store. The braces keep those of a tag on one server. */
  List<String> keys() {
    return hash == null ? List.of(record) : List.of(record, record + ":" + hash);
  }
}
