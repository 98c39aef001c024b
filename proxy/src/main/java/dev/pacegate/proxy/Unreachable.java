package dev.pacegate.proxy;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.resolver.dns.DnsErrorCauseException;
import io.netty.resolver.dns.DnsNameResolverTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** Why there is no connection to an upstream, in words that quote nothing of it. */
final class Unreachable {

  private record Cause(Predicate<Throwable> is, String words) {}

  /** The first that is anywhere among the causes: others are often wrapped around it. */
  private static final List<Cause> CAUSES =
      List.of(
          new Cause(Unreachable::isForWantOfDescriptors, "too many open files"),
          new Cause(
              DnsNameResolverTimeoutException.class::isInstance, "its name server does not answer"),
          new Cause(Unreachable::isOfNameServer, "its name server fails"),
          new Cause(SocketTimeoutException.class::isInstance, "it takes too long"),
          new Cause(TimeoutException.class::isInstance, "it takes too long"),
          new Cause(ConnectTimeoutException.class::isInstance, "it takes too long"),
          new Cause(UnknownHostException.class::isInstance, "its name is not found"),
          new Cause(CertPathBuilderException.class::isInstance, "its certificate is not trusted"),
          new Cause(CertificateException.class::isInstance, "its certificate is not valid for it"),
          new Cause(SSLException.class::isInstance, "TLS failed"),
          new Cause(Unreachable::isRefused, "connection refused"),
          new Cause(ConnectException.class::isInstance, "no connection"));

  /** Causes may be a circle. */
  private static final int DEPTH = 10;

  private Unreachable() {}

  static Rejection rejection(Throwable failure) {
    return Rejection.of(502, "the upstream cannot be reached: " + words(failure));
  }

  private static String words(Throwable failure) {
    List<Throwable> chain =
        Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(DEPTH).toList();
    for (Cause cause : CAUSES) {
      if (chain.stream().anyMatch(cause.is())) {
        return cause.words();
      }
    }
    return failure.getClass().getSimpleName();
  }

  private static boolean isForWantOfDescriptors(Throwable failure) {
    return failure instanceof IOException && says(failure, "Too many open files");
  }

  /** Whether there is such a name is not known then. */
  private static boolean isOfNameServer(Throwable failure) {
    return failure instanceof DnsErrorCauseException answer
        && !answer.getCode().equals(DnsResponseCode.NXDOMAIN);
  }

  /** Other failures to connect have the same type. */
  private static boolean isRefused(Throwable failure) {
    return failure instanceof ConnectException && says(failure, "refused");
  }

  private static boolean says(Throwable failure, String words) {
    String message = failure.getMessage();
    return message != null && message.contains(words);
  }
}
