package dev.pacegate.apache;

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
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Apache HttpClient follows the rules of adapters. */
class AdapterRulesTest extends AdapterRules {

  private static final Path PAGE = Path.of("..", "docs", "measured", "adapters.md");
  private static final String HEADING = "## Apache HttpClient";

  private static HttpClientBuilder plain() {
    var users = new BasicCredentialsProvider();
    users.setCredentials(
        new AuthScope(null, -1), new UsernamePasswordCredentials("me", new char[] {'x'}));
    return HttpClients.custom()
        .setConnectionManager(
            PoolingHttpClientConnectionManagerBuilder.create().setMaxConnPerRoute(12).build())
        .setDefaultCredentialsProvider(users)
        .setRetryStrategy(new DefaultHttpRequestRetryStrategy(1, TimeValue.ofMilliseconds(1)));
  }

  /** Sends by a client. */
  private record Sender(CloseableHttpClient client) implements ClientUnderTest {
    @Override
    public ClientCall newCall(String method, URI target, Duration timeout) {
      var request = new HttpUriRequestBase(method, target);
      request.setConfig(RequestConfig.custom().setResponseTimeout(Timeout.of(timeout)).build());
      if (method.equals("POST")) {
        request.setEntity(new StringEntity("body"));
      }
      return ClientCall.ofBlocking(() -> client.execute(request, Sender::read), request::cancel);
    }

    private static int read(ClassicHttpResponse response) throws IOException {
      EntityUtils.consume(response.getEntity());
      return response.getCode();
    }

    @Override
    public void close() throws IOException {
      client.close();
    }
  }

  @Override
  protected ClientUnderTest paced(Limiter limiter, HttpVersion version) {
    return new Sender(PacedApache.builder(plain()).limiter(limiter).build());
  }

  @Override
  protected ClientUnderTest unpaced(HttpVersion version) {
    return new Sender(plain().build());
  }

  /** The classic client speaks HTTP/1.1 only. */
  @Override
  protected Set<ClientFeature> features() {
    return EnumSet.complementOf(EnumSet.of(ClientFeature.HTTP_2));
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
