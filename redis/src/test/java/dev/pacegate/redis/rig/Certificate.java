package dev.pacegate.redis.rig;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate of localhost that signs itself, as files that a server reads. */
final class Certificate {

  private static final String PASSWORD = "of-a-test";
  private static final String NAME = "localhost";
  private static final String TRUSTED = "javax.net.ssl.trustStore";
  private static final String PASSWORD_OF_TRUSTED = "javax.net.ssl.trustStorePassword";

  private final KeyStore keys;
  private final Path store;
  private final Path certificate;
  private final Path key;

  /** Makes one in the folder. */
  Certificate(Path folder) throws IOException, InterruptedException, GeneralSecurityException {
    this.store = folder.resolve("keys.p12");
    this.keys = load(made(store));
    this.certificate = folder.resolve("certificate.pem");
    this.key = folder.resolve("key.pem");
    write(certificate, "CERTIFICATE", keys.getCertificate(NAME).getEncoded());
    write(key, "PRIVATE KEY", keys.getKey(NAME, PASSWORD.toCharArray()).getEncoded());
  }

  /** The certificate, in the form PEM. */
  Path certificate() {
    return certificate;
  }

  /**
   * Lets what this JVM connects trust it from now on, if it trusts what the JVM does, until the
   * close.
   */
  AutoCloseable trusted() {
    System.setProperty(TRUSTED, store.toString());
    System.setProperty(PASSWORD_OF_TRUSTED, PASSWORD);
    return () -> {
      System.clearProperty(TRUSTED);
      System.clearProperty(PASSWORD_OF_TRUSTED);
    };
  }

  /** Its private key, in the form PEM. */
  Path key() {
    return key;
  }

  /** Returns a context for clients that trust this certificate alone. */
  SSLContext client() throws GeneralSecurityException {
    var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(keys);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trusted.getTrustManagers(), null);
    return context;
  }

  private static Path made(Path file) throws IOException, InterruptedException {
    Path log = file.resolveSibling("keytool.txt");
    var command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            NAME,
            "-dname",
            "CN=localhost",
            "-ext",
            "san=dns:localhost,ip:127.0.0.1",
            "-keyalg",
            "EC",
            "-storetype",
            "PKCS12",
            "-storepass",
            PASSWORD,
            "-keystore",
            file.toString());
    if (command.redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor() != 0) {
      throw new IOException(Files.readString(log));
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

  private static void write(Path file, String type, byte[] content) throws IOException {
    String lines =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content);
    Files.writeString(
        file, "-----BEGIN " + type + "-----\n" + lines + "\n-----END " + type + "-----\n");
  }
}
