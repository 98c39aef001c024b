package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.AdapterRules;
import dev.pacegate.adapter.tck.ClientCall;
import dev.pacegate.adapter.tck.ClientFeature;
import dev.pacegate.adapter.tck.ClientUnderTest;
import dev.pacegate.adapter.tck.Comparison;
import dev.pacegate.adapter.tck.Comparison.ComparedCase;
import dev.pacegate.adapter.tck.HttpVersion;
import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The JDK's client follows the rules of adapters. */
class AdapterRulesTest extends AdapterRules {

  private static final Path PAGE = Path.of("..", "docs", "measured", "adapters.md");
  private static final String HEADING = "## The JDK's HttpClient";

  private static HttpClient.Builder plain(HttpVersion version) {
    return HttpClient.newBuilder()
        .version(version == HttpVersion.HTTP_2 ? Version.HTTP_2 : Version.HTTP_1_1)
        .followRedirects(Redirect.NORMAL)
        .authenticator(
            new Authenticator() {
              @Override
              protected PasswordAuthentication getPasswordAuthentication() {
                return new PasswordAuthentication("me", new char[] {'x'});
              }
            });
  }

  private static ClientUnderTest using(HttpClient client) {
    return (method, target, timeout) -> {
      var body = method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString("body");
      HttpRequest request =
          HttpRequest.newBuilder(target).method(method, body).timeout(timeout).build();
      return ClientCall.ofFuture(
          () -> client.sendAsync(request, BodyHandlers.ofString()), HttpResponse::statusCode);
    };
  }

  @Override
  protected ClientUnderTest paced(Limiter limiter, HttpVersion version) {
    return using(PacedHttpClient.builder(plain(version)).limiter(limiter).build());
  }

  @Override
  protected ClientUnderTest unpaced(HttpVersion version) {
    return using(plain(version).build());
  }

  /** The JDK's client does not repeat a request because of a status. */
  @Override
  protected Set<ClientFeature> features() {
    return EnumSet.complementOf(EnumSet.of(ClientFeature.STATUS_RETRIES));
  }

  /** With {@code -Dpacegate.write=true} the table is measured and written. */
  @Test
  @Tag("pages")
  void thePageTellsEachCase() throws Exception {
    if (Boolean.getBoolean("pacegate.write")) {
      Comparison measured = comparison(); // before the page is read, which other modules write, too
      Files.writeString(PAGE, measured.into(Files.readString(PAGE), HEADING));
    }
    List<ComparedCase> rows = Comparison.in(Files.readString(PAGE), HEADING).rows();
    assertEquals(cases(), rows.stream().map(ComparedCase::name).toList());
    rows.forEach(row -> assertFalse(row.adapter().contains("**"), row::toString));
  }
}
