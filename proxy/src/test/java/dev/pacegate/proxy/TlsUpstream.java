package dev.pacegate.proxy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** An upstream with a certificate for localhost that it has signed itself. */
final class TlsUpstream implements AutoCloseable {

  static final String PASSWORD = "of-a-test";

  private final AtomicInteger arrived = new AtomicInteger();
  private final HttpsServer server;

  TlsUpstream() throws Exception {
    this(context());
  }

  TlsUpstream(SSLContext context) throws Exception {
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    server.createContext(
        "/",
        exchange -> {
          arrived.incrementAndGet();
          ProxyRig.answer(exchange, 200, "ok");
        });
    server.start();
  }

  private static SSLContext context() throws Exception {
    return context(keys());
  }

  /** Returns a file with a key and its certificate. */
  static Path keys() throws Exception {
    return made(Files.createTempDirectory("proxy-tls").resolve("keys.p12"));
  }

  static SSLContext context(Path file) throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), null, null);
    return context;
  }

  private static Path made(Path file) throws IOException, InterruptedException {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    String options =
        "-genkeypair -alias localhost -dname CN=localhost -ext san=dns:localhost -keyalg EC"
            + " -storetype PKCS12 -storepass "
            + PASSWORD;
    var command = new java.util.ArrayList<String>();
    command.add(keytool.toString());
    command.addAll(java.util.List.of(options.split(" ", -1)));
    command.addAll(java.util.List.of("-keystore", file.toString()));
    Path said = file.resolveSibling("keytool.txt");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    if (process.waitFor() != 0) {
      throw new IOException(Files.readString(said));
    }
    return file;
  }

  int port() {
    return server.getAddress().getPort();
  }

  boolean reached() {
    return arrived.get() > 0;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
