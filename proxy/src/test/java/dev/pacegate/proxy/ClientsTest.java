package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import java.io.BufferedReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** curl, Node and Python, in each protocol on each side: all bytes pass. */
@Tag("servers")
@Timeout(300)
class ClientsTest {

  private static final int[] SIZES = {0, 1, 65_535, 65_536, 3_000_001};

  private static final List<String> WAYS =
      List.of("--http1.1", "--http1.0", "--http2", "--http2-prior-knowledge");

  private static final String NODE =
      """
      const http2 = require('http2'), crypto = require('crypto'), fs = require('fs');
      const [address, file] = process.argv.slice(1);
      const session = http2.connect(address, {maxSessionMemory: 100});
      const body = fs.readFileSync(file);
      let left = 20;
      for (let i = 0; i < 20; i++) {
        const stream = session.request({':method': 'POST', ':path': '/echo'});
        const digest = crypto.createHash('sha256');
        stream.on('data', part => digest.update(part));
        stream.on('end', () => {
          console.log(digest.digest('hex'));
          if (--left === 0) session.close();
        });
        stream.end(body);
      }
      """;

  private static final String PYTHON =
      """
      import hashlib, http.client, sys
      port, file = int(sys.argv[1]), sys.argv[2]
      body = open(file, 'rb').read()
      connection = http.client.HTTPConnection('127.0.0.1', port)
      for chunked in (False, True, False):
          parts = (body[i:i + 9999] for i in range(0, len(body), 9999))
          connection.request('POST', '/echo', body=parts if chunked else body, encode_chunked=chunked)
          print(hashlib.sha256(connection.getresponse().read()).hexdigest())
      """;

  @TempDir Path folder;

  private final BodiesUpstream upstream = new BodiesUpstream();

  private PacedProxy proxy(String scheme, Limiter limiter) {
    return PacedProxy.builder(upstream.uri(scheme)).limiter(limiter).start();
  }

  private static String address(PacedProxy proxy) {
    return "http://127.0.0.1:" + proxy.address().getPort();
  }

  private Path file(int size) throws Exception {
    Path file = folder.resolve("body-" + size);
    try (OutputStream out = Files.newOutputStream(file)) {
      var content = new BodiesUpstream.Content(size);
      for (byte[] part = content.next(); part.length > 0; part = content.next()) {
        out.write(part);
      }
    }
    return file;
  }

  private static byte[] run(List<String> command) throws Exception {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    process.getOutputStream().close();
    byte[] said = process.getInputStream().readAllBytes();
    assertEquals(0, process.waitFor(), String.join(" ", command));
    return said;
  }

  private static String digest(byte[] bytes) {
    return java.util.HexFormat.of().formatHex(BodiesUpstream.sha().digest(bytes));
  }

  @Test
  void curlGetsAndSendsAllBytesInEachProtocol() throws Exception {
    for (String scheme : List.of("http", "h2c")) {
      try (var limiter = Limiter.of("peer(100000/1s)");
          PacedProxy proxy = proxy(scheme, limiter)) {
        for (String way : WAYS) {
          for (int size : SIZES) {
            String what = scheme + " " + way + " " + size;
            var curl = List.of("curl", "-sS", "--fail", way);
            var get = new ArrayList<>(curl);
            get.add(address(proxy) + "/bytes/" + size);
            assertEquals(BodiesUpstream.Content.digest(size), digest(run(get)), what);
            var echo = new ArrayList<>(curl);
            echo.addAll(List.of("--data-binary", "@" + file(size), address(proxy) + "/echo"));
            assertEquals(BodiesUpstream.Content.digest(size), digest(run(echo)), what);
            if (!way.equals("--http1.0")) {
              echo.addAll(List.of("-H", "Transfer-Encoding: chunked"));
              assertEquals(BodiesUpstream.Content.digest(size), digest(run(echo)), what);
            }
          }
        }
        ProxyRig.eventually(() -> limiter.snapshot().open() == 0);
        assertEquals(0, limiter.snapshot().lost());
      }
    }
    upstream.close();
  }

  @Test
  void nodeSendsManyStreamsOnOneConnection() throws Exception {
    int size = 1_000_001;
    try (var limiter = Limiter.of("peer(100000/1s) & concurrent(2)");
        PacedProxy proxy = proxy("h2c", limiter)) {
      byte[] said = run(List.of("node", "-e", NODE, address(proxy), file(size).toString()));
      var expected = (BodiesUpstream.Content.digest(size) + "\n").repeat(20);
      assertEquals(expected, new String(said, UTF_8));
      assertEquals(20, limiter.snapshot().granted());
    }
    upstream.close();
  }

  @Test
  void pythonSendsOnOneConnection() throws Exception {
    int size = 300_001;
    try (var limiter = Limiter.of("peer(100000/1s)");
        PacedProxy proxy = proxy("http", limiter)) {
      String port = "" + proxy.address().getPort();
      byte[] said = run(List.of("python3", "-c", PYTHON, port, file(size).toString()));
      var expected = (BodiesUpstream.Content.digest(size) + "\n").repeat(3);
      assertEquals(expected, new String(said, UTF_8));
    }
    upstream.close();
  }

  @Test
  void eventsArriveAsTheyComeInEachProtocol() throws Exception {
    for (String scheme : List.of("http", "h2c")) {
      for (String way : List.of("--http1.1", "--http2-prior-knowledge")) {
        try (var source = new BodiesUpstream();
            var limiter = Limiter.of("peer(100000/1s)");
            var proxy = PacedProxy.builder(source.uri(scheme)).limiter(limiter).start()) {
          Process curl =
              new ProcessBuilder("curl", "-sSN", way, address(proxy) + "/events").start();
          try (BufferedReader events = curl.inputReader(UTF_8)) {
            for (int i = 0; i < 5; i++) {
              source.event("data: " + i + "\n\n");
              assertEquals("data: " + i, events.readLine());
              assertEquals("", events.readLine());
            }
            source.events.join().end();
            assertEquals(0, curl.waitFor());
          } finally {
            curl.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
          }
        }
      }
    }
    upstream.close();
  }
}
