package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.time.Duration;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** Builds clients like a paced one, with its limiters. Copies the client inside if it must. */
final class LikeBuilder implements HttpClient.Builder {

  private final PacedHttpClient paced;
  private final HttpClient inner;
  private HttpClient.@Nullable Builder copy; // of the client inside; null while that is unchanged
  private Redirect policy;
  private @Nullable Authenticator authenticator;

  LikeBuilder(
      PacedHttpClient paced,
      HttpClient inner,
      Redirect policy,
      @Nullable Authenticator authenticator) {
    this.paced = paced;
    this.inner = inner;
    this.policy = policy;
    this.authenticator = authenticator;
  }

  /** Returns the builder of the copy, on which {@code setting} is set. */
  private HttpClient.Builder copy(String setting) {
    if (!PlainClient.isOfJdk(inner)) {
      throw new UnsupportedOperationException(
          setting
              + " cannot be changed here because the client inside is not the JDK's own, "
              + inner.getClass().getName()
              + ": set it on the client that you give to PacedHttpClient.builder");
    }
    if (copy == null) {
      copy = PlainClient.copy(inner);
    }
    return copy;
  }

  @Override
  public HttpClient.Builder cookieHandler(CookieHandler cookieHandler) {
    copy("cookieHandler").cookieHandler(cookieHandler);
    return this;
  }

  @Override
  public HttpClient.Builder connectTimeout(Duration duration) {
    copy("connectTimeout").connectTimeout(duration);
    return this;
  }

  @Override
  public HttpClient.Builder sslContext(SSLContext sslContext) {
    copy("sslContext").sslContext(sslContext);
    return this;
  }

  @Override
  public HttpClient.Builder sslParameters(SSLParameters sslParameters) {
    copy("sslParameters").sslParameters(sslParameters);
    return this;
  }

  @Override
  public HttpClient.Builder executor(Executor executor) {
    copy("executor").executor(executor);
    return this;
  }

  @Override
  public HttpClient.Builder version(Version version) {
    copy("version").version(version);
    return this;
  }

  @Override
  public HttpClient.Builder priority(int priority) {
    copy("priority").priority(priority);
    return this;
  }

  @Override
  public HttpClient.Builder proxy(ProxySelector proxySelector) {
    copy("proxy").proxy(proxySelector);
    return this;
  }

  @Override
  public HttpClient.Builder followRedirects(Redirect policy) {
    this.policy = requireNonNull(policy);
    return this;
  }

  @Override
  public HttpClient.Builder authenticator(Authenticator authenticator) {
    this.authenticator = requireNonNull(authenticator);
    return this;
  }

  /** Overrides the method that JDK 19 has added, as a copied client cannot keep it. */
  @SuppressWarnings({"MissingOverride", "DoNotCallSuggester"}) // JDK 17 has no such method
  public HttpClient.Builder localAddress(InetAddress localAddress) {
    throw new UnsupportedOperationException(
        "localAddress cannot be changed here: set it on the client that you give to"
            + " PacedHttpClient.builder");
  }

  @Override
  public HttpClient build() {
    HttpClient plain = copy == null ? inner : copy.build();
    return paced.like(plain, policy, authenticator);
  }
}
