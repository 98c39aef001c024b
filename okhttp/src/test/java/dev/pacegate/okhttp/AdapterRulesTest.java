package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.AdapterRules;
import dev.pacegate.adapter.tck.ClientCall;
import dev.pacegate.adapter.tck.ClientUnderTest;
import dev.pacegate.adapter.tck.Comparison;
import dev.pacegate.adapter.tck.Comparison.ComparedCase;
import dev.pacegate.adapter.tck.HttpVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** OkHttp's client follows the rules of adapters. */
class AdapterRulesTest extends AdapterRules {

  private static final Path PAGE = Path.of("..", "docs", "measured", "adapters.md");
  private static final String HEADING = "## OkHttp";

  private static OkHttpClient plain(HttpVersion version) {
    var settings =
        new OkHttpClient.Builder()
            .authenticator(
                (route, response) ->
                    response.request().header("Authorization") == null
                        ? response.request().newBuilder().header("Authorization", "x").build()
                        : null);
    if (version == HttpVersion.HTTP_2) {
      settings.protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
    }
    return settings.build();
  }

  private static ClientUnderTest using(OkHttpClient client) {
    return (method, target, timeout) -> {
      var body =
          method.equals("GET") ? null : RequestBody.create("body", MediaType.get("text/plain"));
      Request request = new Request.Builder().url(target.toString()).method(method, body).build();
      Call call = client.newBuilder().readTimeout(timeout).build().newCall(request);
      return ClientCall.ofBlocking(() -> status(call), call::cancel);
    };
  }

  private static int status(Call call) throws IOException {
    try (Response response = call.execute()) {
      var unused = response.body().string();
      return response.code();
    }
  }

  @Override
  protected ClientUnderTest paced(Limiter limiter, HttpVersion version) {
    return using(PacedOkHttp.builder(plain(version)).limiter(limiter).build());
  }

  @Override
  protected ClientUnderTest unpaced(HttpVersion version) {
    return using(plain(version));
  }

  /** With {@code -Dpacegate.write=true} the table is measured and written, of OkHttp 5 only. */
  @Test
  @Tag("pages")
  void thePageTellsEachCase() throws Exception {
    boolean newest = System.getProperty("okhttp.version", "").startsWith("5.");
    if (Boolean.getBoolean("pacegate.write") && newest) {
      Comparison measured = comparison(); // before the page is read, which other modules write, too
      Files.writeString(PAGE, measured.into(Files.readString(PAGE), HEADING));
    }
    List<ComparedCase> rows = Comparison.in(Files.readString(PAGE), HEADING).rows();
    assertEquals(cases(), rows.stream().map(ComparedCase::name).toList());
    rows.forEach(row -> assertFalse(row.adapter().contains("**"), row::toString));
  }
}
