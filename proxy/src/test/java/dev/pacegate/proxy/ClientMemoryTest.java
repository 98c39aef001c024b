package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that are not sent yet may fill half of the heap, however many there are. */
@Tag("servers")
@Timeout(300)
class ClientMemoryTest {

  private static final int HEAP = 64; // MB

  /** 4000 streams with 60 000 bytes each, 240 MB in all, of which none ends. */
  @Test
  void uploadsThatNeverEndFillHalfOfTheHeapAtMost() throws Exception {
    try (var upstream = new BodiesUpstream();
        var proxy = new ProxyProcess(upstream.uri("http"), HEAP)) {
      List<H2Wire> wires = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        wires.add(flood(proxy.port, 100));
      }
      long refused = 0;
      for (H2Wire wire : wires) { // all has been read once this is answered
        wire.get(201, "/bytes/1");
        wire.outcome(201);
        refused += wire.answers.values().stream().filter(a -> a.status().equals("503")).count();
        wire.close();
      }
      assertTrue(refused > 1000, refused + " were refused");
      ProxyRig.eventually(() -> answers(proxy.port));
      long peak = proxy.peak();
      assertTrue(peak < 4 * HEAP, peak + " MB were resident");
    }
  }

  private static H2Wire flood(int port, int streams) throws IOException {
    var wire = new H2Wire(port);
    for (int i = 0; i < streams; i++) {
      wire.post(2 * i + 1, "/digest");
      for (int part = 0; part < 4; part++) {
        wire.data(2 * i + 1, false, new byte[15_000]);
      }
    }
    return wire;
  }

  private static boolean answers(int port) {
    try (var wire = new H2Wire(port)) {
      wire.get(1, "/bytes/1");
      return wire.outcome(1).equals("200");
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void memoryThatIsGivenBackIsFreeAgain() throws Exception {
    var memory = new ClientMemory(10);
    memory.take(8);
    assertEquals(false, memory.isFull());
    memory.take(8);
    assertTrue(memory.isFull());
    memory.give(8);
    assertEquals(false, memory.isFull());
  }
}
