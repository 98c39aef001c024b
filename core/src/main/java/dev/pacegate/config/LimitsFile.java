package dev.pacegate.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A file of limits: {@link Properties} in UTF-8, one limit each. It is stricter than they are: a
 * key that occurs twice is an error, as one of the two must be a mistake.
 */
public final class LimitsFile {

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private static final int MOST_BYTES = 16 << 20;

  private final Path path;

  public LimitsFile(Path path) {
    this.path = path;
  }

  /** Reads the file; fails if it is too long to be a file of limits. */
  byte[] read() throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] content = in.readNBytes(MOST_BYTES + 1);
      if (content.length > MOST_BYTES) {
        throw new IOException(path + " is longer than " + MOST_BYTES + " bytes");
      }
      return content;
    }
  }

  /**
   * Parses {@code content}.
   *
   * @throws IllegalArgumentException if it is wrong; the message names the file
   */
  public Map<String, Limit> parse(byte[] content) {
    try {
      return parse(texts(content));
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(path + ": " + wrong.getMessage(), wrong);
    }
  }

  /**
   * Parses each of {@code texts}.
   *
   * @throws IllegalArgumentException if any is no limit; the message names each of those
   */
  public static Map<String, Limit> parse(Map<String, String> texts) {
    var limits = new TreeMap<String, Limit>();
    var mistakes = new ArrayList<IllegalArgumentException>();
    new TreeMap<>(texts)
        .forEach(
            (name, text) -> {
              try {
                limits.put(name, Limits.parse(text));
              } catch (IllegalArgumentException wrong) {
                mistakes.add(new IllegalArgumentException(name + ": " + wrong.getMessage(), wrong));
              }
            });
    if (!mistakes.isEmpty()) {
      String all = mistakes.stream().map(Throwable::getMessage).collect(Collectors.joining("; "));
      throw new IllegalArgumentException(all, mistakes.get(0));
    }
    return limits;
  }

  private static Map<String, String> texts(byte[] content) {
    var entries = new Entries();
    try {
      entries.load(new StringReader(decode(content)));
    } catch (CharacterCodingException wrong) {
      throw new IllegalArgumentException("the file must be in UTF-8: " + wrong.getMessage(), wrong);
    } catch (IOException impossible) {
      throw new IllegalArgumentException(impossible);
    }
    if (!entries.twins.isEmpty()) {
      throw new IllegalArgumentException(
          "named more than once: " + String.join(", ", entries.twins));
    }
    return entries.texts;
  }

  /** Decodes UTF-8 and, unlike the constructor of a string, fails on other bytes. */
  private static String decode(byte[] content) throws CharacterCodingException {
    String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
  }

  /** Records keys that occur twice, which properties replace silently. */
  private static final class Entries extends Properties {

    final transient Map<String, String> texts = new TreeMap<>();
    final transient TreeSet<String> twins = new TreeSet<>();

    @Override
    public synchronized Object put(Object key, Object value) {
      String name = key.toString();
      if (texts.put(name, value.toString()) != null) {
        twins.add(name);
      }
      return value;
    }
  }
}
