package dev.pacegate.redis.rig;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection that speaks RESP 2. Independent of the client that is tested. */
final class RespConnection implements Closeable {

  private final Socket socket;
  private final InputStream in;

  RespConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  /**
   * Sends a command and waits for the reply.
   *
   * @return a String, a Long, a List of these, or null
   * @throws RedisErrorException if the reply is an error
   */
  @Nullable Object call(String... words) throws IOException {
    var request = new ByteArrayOutputStream();
    request.writeBytes(utf8("*" + words.length + "\r\n"));
    for (String word : words) {
      byte[] bytes = utf8(word);
      request.writeBytes(utf8("$" + bytes.length + "\r\n"));
      request.writeBytes(bytes);
      request.writeBytes(utf8("\r\n"));
    }
    socket.getOutputStream().write(request.toByteArray());
    return reply();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private @Nullable Object reply() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case ':' -> Long.valueOf(rest);
      case '$' -> text(Integer.parseInt(rest));
      case '*' -> list(Integer.parseInt(rest));
      case '-' -> throw new RedisErrorException(rest);
      default -> throw new IOException("not RESP: " + line);
    };
  }

  private @Nullable String text(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length || in.readNBytes(2).length < 2) {
      throw new EOFException("the reply is cut short");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private @Nullable List<@Nullable Object> list(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    var list = new ArrayList<@Nullable Object>();
    for (int i = 0; i < length; i++) {
      list.add(reply());
    }
    return list;
  }

  private String line() throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("closed after \"" + line + '"');
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
