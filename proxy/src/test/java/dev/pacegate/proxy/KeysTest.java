package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A limit for each value of a header. */
class KeysTest {

  private static final String SECRET = "sk-a-secret";

  private final KeyedLimiter<String> keys =
      KeyedLimiter.builder("starts(1/1h)").within("starts(2/1h)").maxKeys(3).build();
  private final ProxyRig rig =
      new ProxyRig(
          keys.all(),
          exchange -> ProxyRig.answer(exchange, 200, "ok"),
          options -> options.limiterPerHeader(keys, "X-Api-Key"));

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
    assertEquals(429, get("another").statusCode(), "all have spent what they share");
    assertEquals(2, rig.arrived.get());
    rig.atRest();
  }

  /** A new key must not push one out that owes something. */
  @Test
  void aKeyMoreThanThereIsRoomForIsToldSo() throws Exception {
    assertEquals(200, get("a").statusCode());
    assertEquals(200, get("b").statusCode());
    keys.limiter("of the program itself").setLimit("starts(5/1h)");
    HttpResponse<String> refused = get("c");
    assertEquals(503, refused.statusCode());
    assertTrue(refused.body().contains("3 keys already"), refused.body());
    rig.atRest();
  }

  /** Logs and messages name keys; the value may be a credential. */
  @Test
  void aKeyTellsNothingOfTheValue() {
    var key = new HeaderKey("X-Api-Key");
    String name = key.of(List.of(SECRET));
    assertEquals(name, key.of(List.of(SECRET)));
    assertNotEquals(name, key.of(List.of(SECRET, SECRET)));
    assertNotEquals(name, new HeaderKey("X-Api-Key").of(List.of(SECRET)), "salted");
    assertEquals("none", key.of(List.of()));
    assertFalse(name.contains(SECRET), name);
  }

  @Test
  void aHeaderThatCannotBeIsRefused() {
    for (String name : List.of("", "a b", "a:b", "\u00e4")) {
      assertThrows(IllegalArgumentException.class, () -> new HeaderKey(name));
    }
  }
}
