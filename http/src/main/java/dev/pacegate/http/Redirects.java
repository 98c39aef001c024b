package dev.pacegate.http;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.ResponseInfo;
import org.jspecify.annotations.Nullable;

/** Which redirects are followed, and how: as the JDK's client does. */
record Redirects(Redirect policy, int max) {

  private static final int ATTEMPTS_OF_THE_JDK = 5;

  /** Returns how many the JDK's client follows: one less than the requests that it sends. */
  static int usual() {
    int attempts = Integer.getInteger("jdk.httpclient.redirects.retrylimit", ATTEMPTS_OF_THE_JDK);
    return Math.max(1, attempts) - 1;
  }

  /**
   * Returns the request to which {@code answer} redirects {@code request}; null if it does not, or
   * may not.
   *
   * @param followed how many have been followed before
   * @throws IOException if the answer does not say where to go
   */
  @Nullable HttpRequest next(HttpRequest request, ResponseInfo answer, int followed)
      throws IOException {
    int status = answer.statusCode();
    if (policy == Redirect.NEVER || !isRedirect(status)) {
      return null;
    }
    URI target = target(request, answer);
    if (!allows(request.uri(), target) || followed >= max) {
      return null;
    }
    String method = method(status, request.method());
    boolean keepsBody = status != 303 && method.equals(request.method());
    try {
      return Requests.redirected(request, target, method, keepsBody);
    } catch (RuntimeException noTarget) {
      throw new IOException(noTarget.getMessage(), noTarget);
    }
  }

  private static boolean isRedirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  }

  private static URI target(HttpRequest request, ResponseInfo answer) throws IOException {
    String location =
        answer
            .headers()
            .firstValue("Location")
            .orElseThrow(() -> new IOException("Invalid redirection: no Location"));
    try {
      return request.uri().resolve(URI.create(location));
    } catch (IllegalArgumentException noUri) {
      throw new IOException("Invalid redirection", noUri);
    }
  }

  private boolean allows(URI from, URI to) {
    return policy == Redirect.ALWAYS
        || from.getScheme().equalsIgnoreCase(to.getScheme())
        || "https".equalsIgnoreCase(to.getScheme());
  }

  private static String method(int status, String method) {
    if (status == 303) {
      return "GET";
    }
    boolean post = method.equals("POST") && (status == 301 || status == 302);
    return post ? "GET" : method;
  }
}
