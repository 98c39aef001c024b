package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A limit for each value of a header. */
class KeysTest {

  private static final String SECRET = "sk-a-secret";

  private final KeyedLimiter<String> keys =
      KeyedLimiter.builder("starts(1/1h)").within("starts(3/1h)").maxKeys(2).build();
  private final ProxyRig rig =
      new ProxyRig(
          keys.all(),
          exchange -> ProxyRig.answer(exchange, 200, "ok"),
          options -> options.limiters(keys, "X-Api-Key"));

  @AfterEach
  void close() {
    rig.close();
    keys.close();
  }

  private HttpResponse<String> get(String key) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(rig.uri("/"));
    return rig.send(key.isEmpty() ? request : request.header("x-api-key", key));
  }

  @Test
  void eachValueHasItsOwnLimitAndAllShareOne() throws Exception {
    assertEquals(200, get(SECRET).statusCode());
    assertEquals(429, get(SECRET).statusCode());
    assertEquals(200, get("").statusCode());
    assertEquals(429, get("").statusCode());
    assertEquals(2, rig.arrived.get());
    assertEquals(2, keys.size());
    rig.atRest();
  }

  /** A new key must not push one out that owes something. */
  @Test
  void aKeyMoreThanThereIsRoomForIsToldSo() throws Exception {
    assertEquals(200, get("a").statusCode());
    assertEquals(200, get("b").statusCode());
    HttpResponse<String> refused = get("c");
    assertEquals(503, refused.statusCode());
    assertTrue(refused.body().contains("2 keys already"), refused.body());
    rig.atRest();
  }

  @Test
  void theValueIsToldNowhere() throws Exception {
    get(SECRET);
    HttpResponse<String> refused = get(SECRET);
    assertFalse(refused.body().contains(SECRET), refused.body());
    ProxyRig.eventually(() -> !rig.log.isEmpty());
    assertFalse(rig.log.toString().contains(SECRET), rig.log::toString);
  }
}
