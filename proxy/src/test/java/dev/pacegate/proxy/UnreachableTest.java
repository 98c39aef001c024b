package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.ChannelException;
import io.netty.channel.ConnectTimeoutException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

/** What is told of an upstream to which there is no connection. */
class UnreachableTest {

  private static Throwable because(Throwable failure, Throwable cause) {
    failure.initCause(cause);
    return failure;
  }

  @Test
  void theCauseIsToldInWords() {
    var table = new LinkedHashMap<Throwable, String>();
    table.put(new ConnectException("Connection refused: /10.0.0.1:80"), "connection refused");
    table.put(new ConnectTimeoutException("timed out: /10.0.0.1:80"), "it takes too long");
    table.put(new UnknownHostException("secret.example"), "its name is not found");
    table.put(new ConnectException("Connection timed out: /10.0.0.1:80"), "no connection");
    table.put(
        because(new UnknownHostException("a"), new SocketTimeoutException()), "it takes too long");
    var circle = new IllegalStateException("a");
    circle.initCause(new IllegalStateException("b", circle));
    table.put(circle, "IllegalStateException");
    table.put(
        because(new SSLHandshakeException("PKIX"), new CertPathBuilderException("no path")),
        "its certificate is not trusted");
    table.put(
        because(new SSLHandshakeException("no name"), new CertificateException("no name")),
        "its certificate is not valid for it");
    table.put(new SSLHandshakeException("no protocol"), "TLS failed");
    table.put(
        new ChannelException("no socket", new SocketException("Too many open files")),
        "too many open files");
    table.put(
        because(new UnknownHostException("a"), new SocketException("Too many open files")),
        "too many open files");
    table.put(new IllegalStateException("secret"), "IllegalStateException");
    for (Map.Entry<Throwable, String> row : table.entrySet()) {
      assertEquals(
          "502 the upstream cannot be reached: " + row.getValue(),
          Unreachable.rejection(row.getKey()).toString());
    }
  }
}
