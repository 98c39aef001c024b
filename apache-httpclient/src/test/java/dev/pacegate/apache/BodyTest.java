package dev.pacegate.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.adapter.tck.RawServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpHead;
import org.apache.hc.client5.http.impl.classic.CloseableHttpResponse;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** A permit ends with the body. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BodyTest extends ApacheCases {

  private ClassicHttpResponse open(RawServer server) throws IOException {
    return paced().executeOpen(null, new HttpGet(server.uri("/")), null);
  }

  private void assertEnded(int lost) {
    assertNothingLeft();
    assertEquals(lost, limiter.snapshot().lost());
  }

  @Test
  void aBodyReadToItsEndEndsThePermit() throws IOException {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    InputStream body = open(server).getEntity().getContent();
    assertEquals("hell", new String(body.readNBytes(4), StandardCharsets.US_ASCII));
    assertEquals(1, limiter.snapshot().open());
    assertEquals("o", new String(body.readAllBytes(), StandardCharsets.US_ASCII));
    assertEnded(0);
  }

  @Test
  void aBodyWrittenToItsEndEndsThePermit() throws IOException {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    var out = new ByteArrayOutputStream();
    open(server).getEntity().writeTo(out);
    assertEquals("hello", out.toString(StandardCharsets.US_ASCII));
    assertEnded(0);
  }

  @Test
  void aCompressedBodyReadToItsEndEndsThePermit() throws IOException {
    RawServer server =
        server(
            (request, connection) -> {
              var bytes = new ByteArrayOutputStream();
              try (var zip = new GZIPOutputStream(bytes)) {
                zip.write("hello".getBytes(StandardCharsets.US_ASCII));
              }
              connection.write(
                  "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "
                      + bytes.size()
                      + "\r\n\r\n"
                      + bytes.toString(StandardCharsets.ISO_8859_1));
            });
    assertEquals("hello", get(paced(), server.uri("/")));
    assertEnded(0);
  }

  @Test
  void aResponseWithoutBodyEndsThePermit() throws IOException {
    RawServer server =
        server(
            (request, connection) ->
                connection.write(
                    request.method().equals("HEAD")
                        ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
                        : "HTTP/1.1 204 No Content\r\n\r\n"));
    assertEquals(204, open(server).getCode());
    assertEnded(0);
    paced().executeOpen(null, new HttpHead(server.uri("/")), null);
    assertEnded(0);
  }

  @Test
  void aResponseClosedUnreadIsAnsweredIfItsBodyIsShort() throws IOException {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    open(server).close();
    assertEnded(0);
    open(server).getEntity().getContent().close();
    assertEnded(0);
    int status = paced().execute(new HttpGet(server.uri("/")), ClassicHttpResponse::getCode);
    assertEquals(200, status);
    assertEnded(0);
  }

  @Test
  void aResponseClosedAtOnceIsLost() throws IOException {
    RawServer server =
        server(
            (request, connection) ->
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"));
    var response = (CloseableHttpResponse) open(server);
    response.close(CloseMode.IMMEDIATE);
    assertEnded(1);
  }

  /** HttpClient would read on, and never return. */
  @Test
  void anEndlessBodyCanBeClosed() throws IOException {
    RawServer server =
        server(
            (request, connection) -> {
              connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
              OutputStream out = connection.socket().getOutputStream();
              while (true) {
                out.write("5\r\nhello\r\n".getBytes(StandardCharsets.US_ASCII));
              }
            });
    open(server).getEntity().getContent().close();
    assertEnded(1);
    open(server).close();
    assertEnded(2);
  }

  @Test
  void aBodyThatIsCutIsLost() throws IOException {
    RawServer server =
        server(
            (request, connection) -> {
              connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
              connection.close();
            });
    assertThrows(IOException.class, () -> get(paced(), server.uri("/")));
    assertEnded(1);
  }
}
