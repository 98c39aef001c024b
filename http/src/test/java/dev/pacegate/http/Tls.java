package dev.pacegate.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** TLS for servers on the loopback. */
final class Tls {

  private static final String PASSWORD = "of-a-test";

  private Tls() {}

  /** Returns a context for a server named localhost, and for clients that trust it alone. */
  static SSLContext localhost(Path folder) throws Exception {
    KeyStore keys = load(made(folder.resolve("keys.p12")));
    var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD.toCharArray());
    var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(keys);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
    return context;
  }

  private static Path made(Path file) throws IOException, InterruptedException {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    Process process =
        new ProcessBuilder(
                keytool.toString(),
                "-genkeypair",
                "-alias",
                "localhost",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost",
                "-keyalg",
                "EC",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(file.resolveSibling("keytool.txt").toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IOException(Files.readString(file.resolveSibling("keytool.txt")));
    }
    return file;
  }

  private static KeyStore load(Path file) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }
}
