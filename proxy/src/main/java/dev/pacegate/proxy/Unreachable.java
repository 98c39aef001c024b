package dev.pacegate.proxy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;

/** Why there is no connection to an upstream, in words that quote nothing of it. */
final class Unreachable {

  private record Cause(Predicate<Throwable> is, String words) {}

  /** The first that is anywhere among the causes: others are often wrapped around it. */
  private static final List<Cause> CAUSES =
      List.of(
          new Cause(Unreachable::isForWantOfDescriptors, "too many open files"),
          new Cause(UnknownHostException.class::isInstance, "its name is not found"),
          new Cause(CertPathBuilderException.class::isInstance, "its certificate is not trusted"),
          new Cause(CertificateException.class::isInstance, "its certificate is not valid for it"),
          new Cause(SSLException.class::isInstance, "TLS failed"),
          new Cause(SocketTimeoutException.class::isInstance, "it takes too long"),
          new Cause(TimeoutException.class::isInstance, "it takes too long"),
          new Cause(Unreachable::isTimeout, "it takes too long"),
          new Cause(ConnectException.class::isInstance, "connection refused"));

  private Unreachable() {}

  static Rejection rejection(Throwable failure) {
    return Rejection.of(502, "the upstream cannot be reached: " + words(failure));
  }

  private static String words(Throwable failure) {
    for (Cause cause : CAUSES) {
      for (Throwable at = failure; at != null; at = at.getCause()) {
        if (cause.is().test(at)) {
          return cause.words();
        }
      }
    }
    return failure.getClass().getSimpleName();
  }

  private static boolean isForWantOfDescriptors(Throwable failure) {
    String message = failure.getMessage();
    return failure instanceof IOException
        && message != null
        && message.contains("Too many open files");
  }

  /** Netty's is a refused connection by its type. */
  private static boolean isTimeout(Throwable failure) {
    return failure instanceof io.netty.channel.ConnectTimeoutException;
  }
}
