package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.adapter.tck.RawServer;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The body of a request, read before it is sent. */
@Tag("jdk")
class RequestTextTest extends PacedHttpCases {

  private static HttpRequest request(BodyPublisher body) {
    return HttpRequest.newBuilder(URI.create("http://peer/")).POST(body).build();
  }

  @Test
  void bodiesInMemoryAreReadAsOftenAsAsked() {
    String text = "Grüße ".repeat(20_000); // more than one buffer
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    HttpRequest ofString = request(BodyPublishers.ofString(text));
    HttpRequest ofBytes = request(BodyPublishers.ofByteArray(bytes));
    for (int i = 0; i < 3; i++) {
      assertEquals(text, RequestText.of(ofString));
      assertEquals(text, RequestText.of(ofBytes));
    }
    assertEquals("", RequestText.of(request(BodyPublishers.ofString(""))));
  }

  @Test
  void anyOtherBodyIsLeftAlone(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "text");
    var opened = new AtomicInteger();
    BodyPublisher stream =
        BodyPublishers.ofInputStream(
            () -> {
              opened.incrementAndGet();
              return new ByteArrayInputStream(new byte[3]);
            });
    assertEquals("", RequestText.of(request(BodyPublishers.ofFile(file))));
    assertEquals("", RequestText.of(request(stream)));
    assertEquals("", RequestText.of(request(BodyPublishers.noBody())));
    assertEquals("", RequestText.of(get(URI.create("http://peer/"))));
    assertEquals(0, opened.get());
  }

  @Test
  void aBodyThatWasReadIsSentWhole() throws Exception {
    RawServer server = server((asked, connection) -> connection.ok("x"));
    HttpRequest request = post(server.uri("/"), "body");
    assertEquals("body", RequestText.of(request));
    send(paced(), request);
    assertEquals("body", server.requests().get(0).body());
  }
}
