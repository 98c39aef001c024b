package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * An upstream of both protocols: {@code /digest} answers with the digest of what was sent, {@code
 * /echo} with the same, {@code /bytes/N} with the first N bytes of a known text without end, and
 * {@code /events} as the test says.
 */
final class BodiesUpstream implements AutoCloseable {

  /** In no block twice: a part that is missing or comes twice changes the digest. */
  static final class Content {
    private final byte[] block = new byte[1 << 16];
    private final long size;
    private long made;

    Content(long size) {
      this.size = size;
      new Random(1).nextBytes(block);
    }

    /** Returns the next part; empty at the end. The same array may be used again. */
    byte[] next() {
      ByteBuffer.wrap(block).putLong(made);
      int length = (int) Math.min(block.length, size - made);
      made += length;
      return java.util.Arrays.copyOf(block, length);
    }

    static String digest(long size) {
      MessageDigest digest = sha();
      var content = new Content(size);
      for (byte[] part = content.next(); part.length > 0; part = content.next()) {
        digest.update(part);
      }
      return HexFormat.of().formatHex(digest.digest());
    }
  }

  static MessageDigest sha() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  final CompletableFuture<HttpServerResponse> events = new CompletableFuture<>();
  private final Vertx vertx = Vertx.vertx();
  private final int port;

  BodiesUpstream() {
    var server = vertx.createHttpServer().requestHandler(this::answer);
    server.listen(0, "127.0.0.1").toCompletionStage().toCompletableFuture().join();
    this.port = server.actualPort();
  }

  URI uri(String scheme) {
    return URI.create(scheme + "://127.0.0.1:" + port);
  }

  private void answer(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    switch (request.path().split("/", 3)[1]) {
      case "digest" -> {
        MessageDigest digest = sha();
        request.handler(part -> digest.update(part.getBytes()));
        request.endHandler(end -> response.end(HexFormat.of().formatHex(digest.digest())));
      }
      case "echo" -> {
        String length = request.getHeader("content-length");
        if (length == null) {
          response.setChunked(true);
        } else {
          response.putHeader("content-length", length);
        }
        request.pipeTo(response);
      }
      case "bytes" -> {
        long size = Long.parseLong(request.path().substring("/bytes/".length()));
        response.putHeader("content-length", Long.toString(size));
        pump(response, new Content(size));
      }
      default -> {
        response.putHeader("content-type", "text/event-stream").setChunked(true).writeHead();
        events.complete(response);
      }
    }
  }

  private static void pump(HttpServerResponse response, Content content) {
    while (!response.writeQueueFull()) {
      byte[] part = content.next();
      if (part.length == 0) {
        response.end();
        return;
      }
      response.write(Buffer.buffer(part));
    }
    response.drainHandler(drained -> pump(response, content));
  }

  void event(String text) {
    events.join().write(Buffer.buffer(text.getBytes(UTF_8)));
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
