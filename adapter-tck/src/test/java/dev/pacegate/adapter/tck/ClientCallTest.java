package dev.pacegate.adapter.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClientCallTest {

  @Test
  void aBlockingCallReturnsTheStatusAndPassesTheCancelOn() throws Exception {
    var cancelled = new AtomicInteger();
    ClientCall call = ClientCall.ofBlocking(() -> 204, cancelled::incrementAndGet);
    assertEquals(0, cancelled.get());
    call.cancel();
    assertEquals(1, cancelled.get());
    assertEquals(204, call.execute());
  }

  @Test
  void aBlockingCallThrowsTheExceptionOfTheClient() {
    var failure = new IOException();
    ClientCall call =
        ClientCall.ofBlocking(
            () -> {
              throw failure;
            },
            () -> {});
    assertSame(failure, assertThrows(IOException.class, call::execute));
  }
}
