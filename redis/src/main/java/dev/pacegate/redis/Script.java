package dev.pacegate.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script of the store.
 *
 * @param digest under which the server remembers it
 */
record Script(String source, String digest) {

  static final Script ACQUIRE = load("acquire");
  static final Script CHANGE = load("change");
  static final Script CONTROL = load("control");
  static final Script STATUS = load("status");

  /** Calls what the others call. */
  static final Script PROBE = of(resource("probe"));

  private static Script load(String name) {
    return load(resource("server"), name);
  }

  /** Returns a script with that text in front, by which it asks its server. */
  static Script load(String server, String name) {
    var source =
        new StringBuilder(server).append(resource("record")).append(later("epochs", "limit"));
    source.append(resource("runs")).append(resource("states"));
    if (name.equals("acquire")) {
      source.append(resource("entry")).append(later("long", "opening", "count"));
    } else {
      source.append(resource("opening"));
    }
    return of(source.append(resource(name)).toString());
  }

  /** Returns a part, behind others, as the body of a function of its name. */
  private static String later(String name, String... others) {
    var source = new StringBuilder("function " + name + "()\n");
    for (String other : others) {
      source.append(resource(other));
    }
    return source.append(resource(name)).append("end\n").toString();
  }

  static Script of(String source) {
    return new Script(source, digest(source));
  }

  private static String resource(String name) {
    try (var in = Script.class.getResourceAsStream(name + ".lua")) {
      return new String(requireNonNull(in, name).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String digest(String source) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(source.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
