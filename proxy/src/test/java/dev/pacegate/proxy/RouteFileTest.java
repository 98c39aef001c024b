package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of a file that fail half-way, and files behind links. */
class RouteFileTest {

  private static final String LIMITS =
      """
      limits:
        a: starts(1/1h)
        each: {limit: starts(1/1h), key: header:K, within: starts(2/1h)}
        z: starts(1/1h)
      routes: [{match: {path: /each}, limit: each}, {match: {path: /z}, limit: z}, {limit: a}]
      """;

  /** A limit of which there can be no meter: setting it fails. */
  private record NoLimit() implements Limit {

    @Override
    public Meter newMeter(long now) {
      throw new IllegalStateException("of a test");
    }

    @Override
    public List<Promise> promises() {
      return List.of();
    }
  }

  /** Limits before it have changed by then, or a half of its own, and one is new. */
  @ParameterizedTest
  @ValueSource(strings = {"z", "each"})
  void aChangeThatFailsHalfWayIsTakenBack(String wrong) throws Exception {
    try (var rig = new RoutedRig(LIMITS)) {
      assertEquals(200, rig.get("/"));
      List<String> before = rig.routes.lines();
      String text =
          "to: http://a\n" + LIMITS.replace("/1h", "9/1h").replace("a:", "new: 1/1s\n  a:");
      ProxyFile said = ProxyFile.parse("routes.yaml", text.getBytes(UTF_8));
      var limits = new LinkedHashMap<>(said.limits());
      limits.computeIfPresent(wrong, (name, setting) -> failing(setting));
      var failed =
          assertThrows(
              IllegalStateException.class,
              () -> rig.routes.putInForce(new ProxyFile(limits, said.routes())));
      assertEquals("of a test", failed.getMessage());
      assertEquals(before, rig.routes.lines());
      assertEquals(Set.of("a", "z"), rig.routes.limiters().keySet());
      KeyedLimiter<String> each = requireNonNull(rig.routes.keyedLimiters().get("each"));
      assertEquals("starts(1/1h)", each.limit().toString());
      assertEquals("starts(2/1h)", each.all().limit().toString());
      assertEquals("starts(1/1h)", rig.limiter("z").limit().toString());
      assertEquals(429, rig.get("/"));
      rig.reload(LIMITS.replace("a: starts(1/1h)", "a: starts(2/1h)"));
      assertEquals(200, rig.get("/"), "a file that is right changes it");
      assertEquals(429, rig.get("/"));
    }
  }

  private static LimitSetting failing(LimitSetting setting) {
    return setting.keys() == null
        ? new LimitSetting(setting.at(), setting.name(), new NoLimit(), null, null)
        : new LimitSetting(
            setting.at(), setting.name(), setting.limit(), setting.keys(), new NoLimit());
  }

  /** What made the change fail makes the way back of one limit fail as well. */
  @Test
  void aWayBackThatFailsKeepsNoOtherFromGoingBack() throws Exception {
    try (var rig = new RoutedRig(LIMITS)) {
      var broken = new AtomicBoolean();
      ProxyFile first = with("a", new Fragile(broken), LIMITS);
      rig.routes.putInForce(first);
      broken.set(true);
      ProxyFile next =
          with("z", new NoLimit(), LIMITS.replace("/1h", "9/1h").replace("a:", "new: 1/1s\n  a:"));
      var failed = assertThrows(IllegalStateException.class, () -> rig.routes.putInForce(next));
      assertEquals("of a test", failed.getMessage());
      assertEquals("fragile", failed.getSuppressed()[0].getMessage());
      KeyedLimiter<String> each = requireNonNull(rig.routes.keyedLimiters().get("each"));
      assertEquals("starts(1/1h)", each.limit().toString());
      assertEquals(Set.of("a", "z"), rig.routes.limiters().keySet());
    }
  }

  /** Its keys have the new limit, and all of them together the former. */
  @Test
  void aLimitThatIsHalfChangedIsSetByTheNextReload() throws Exception {
    try (var rig = new RoutedRig(LIMITS)) {
      var broken = new AtomicBoolean();
      ProxyFile first = with("each", new Fragile(broken), LIMITS);
      rig.routes.putInForce(first);
      broken.set(true);
      ProxyFile next = with("each", Limits.parse("starts(9/1h)"), LIMITS);
      next.limits().computeIfPresent("each", (same, setting) -> failing(setting));
      assertThrows(IllegalStateException.class, () -> rig.routes.putInForce(next));
      KeyedLimiter<String> each = requireNonNull(rig.routes.keyedLimiters().get("each"));
      assertEquals("starts(9/1h)", each.limit().toString());
      broken.set(false);
      rig.routes.putInForce(first);
      assertEquals("fragile", each.limit().toString());
    }
  }

  private static ProxyFile with(String name, Limit limit, String limits) {
    ProxyFile said = ProxyFile.parse("routes.yaml", ("to: http://a\n" + limits).getBytes(UTF_8));
    var all = new LinkedHashMap<>(said.limits());
    all.computeIfPresent(
        name,
        (same, setting) ->
            new LimitSetting(setting.at(), same, limit, setting.keys(), setting.within()));
    return new ProxyFile(all, said.routes());
  }

  /** A limit of which there can be no further meter once it is broken. */
  private record Fragile(AtomicBoolean broken) implements Limit {

    @Override
    public Meter newMeter(long now) {
      if (broken.get()) {
        throw new IllegalStateException("fragile");
      }
      return Limits.parse("starts(1/1h)").newMeter(now);
    }

    @Override
    public List<Promise> promises() {
      return Limits.parse("starts(1/1h)").promises();
    }

    @Override
    public String toString() {
      return "fragile";
    }
  }

  /** An error that ended the follower would leave the file unread from then on. */
  @Test
  void aFileIsFollowedOnAfterAnError(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("routes.yaml"), "first");
    var told = new ArrayList<String>();
    var follower =
        new FileFollower(
            file,
            new byte[0],
            content -> {
              if (told.isEmpty()) {
                throw new OutOfMemoryError();
              }
              return "in force";
            },
            told::add);
    follower.readNow();
    follower.look();
    follower.look();
    assertEquals(
        List.of("java.lang.OutOfMemoryError; the configuration in force stays", "in force"), told);
  }

  /** As Kubernetes mounts a ConfigMap: the file is a link through a link that is swapped. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aLinkInAnotherFolderMayBeSwapped(@TempDir Path folder) throws Exception {
    Path data = folder.resolve("..data");
    Files.createSymbolicLink(data, version(folder, "1"));
    Path file = folder.resolve("routes.yaml");
    Files.createSymbolicLink(file, Path.of("..data", "routes.yaml"));
    try (var routes = ProxyRoutes.read(file, Time.system(), 10)) {
      var told = new ArrayList<String>();
      var follower = new FileFollower(file, Files.readAllBytes(file), routes::apply, told::add);
      Path next = folder.resolve("..data_tmp");
      Files.createSymbolicLink(next, version(folder, "2"));
      Files.move(next, data, StandardCopyOption.ATOMIC_MOVE);
      Files.delete(folder.resolve("..1").resolve("routes.yaml"));
      follower.look();
      follower.look();
      assertEquals("limit api: starts(2/1h)", routes.lines().get(0), told::toString);
      assertEquals(1, told.size());
    }
  }

  private static Path version(Path folder, String number) throws Exception {
    Path version = Files.createDirectory(folder.resolve(".." + number));
    Files.writeString(
        version.resolve("routes.yaml"),
        "to: http://a\nlimits: {api: starts(" + number + "/1h)}\nroutes: [{limit: api}]\n");
    return version.getFileName();
  }
}
