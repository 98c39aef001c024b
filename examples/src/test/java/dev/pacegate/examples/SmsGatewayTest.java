package dev.pacegate.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.examples.SmsGateway.Sms;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SmsGatewayTest {

  /** What an operator sees on one bind. Its target is called by one thread at a time. */
  private static final class Operator implements Consumer<Sms> {
    final Audit audit = Audit.of(Limits.parse("spacing(5ms)"));
    final List<Sms> arrived = new ArrayList<>();

    @Override
    public void accept(Sms sms) {
      audit.add(System.nanoTime());
      arrived.add(sms);
    }
  }

  @Test
  void noBindIsEverFasterThanItsSpacingAndEachGetsItsMessagesInOrder() throws Exception {
    List<Operator> operators = List.of(new Operator(), new Operator(), new Operator());
    var sent = new ArrayList<Sms>();
    try (var gateway = new SmsGateway(List.copyOf(operators), Duration.ofMillis(5))) {
      for (int i = 0; i < 300; i++) {
        var sms = new Sms("recipient " + i % 30, "message " + i);
        sent.add(sms);
        gateway.send(sms);
      }
      assertTrue(gateway.drain(Duration.ofMinutes(2)));
      for (int bind = 0; bind < 3; bind++) {
        int mine = bind;
        List<Sms> expected =
            sent.stream().filter(sms -> gateway.bindOf(sms.recipient()) == mine).toList();
        assertEquals(expected, operators.get(bind).arrived, "once each, in order");
      }
    }
    for (Operator operator : operators) {
      assertTrue(operator.audit.verdict().kept(), operator.audit.verdict().text());
      assertTrue(operator.arrived.size() > 30, "every bind has its share");
    }
  }

  @Test
  void aRecipientStaysOnOneBind() throws Exception {
    Map<String, Integer> binds = new HashMap<>();
    try (var gateway =
        new SmsGateway(List.of(sms -> {}, sms -> {}, sms -> {}), Duration.ofMillis(5))) {
      for (int i = 0; i < 100; i++) {
        String recipient = "recipient " + i % 10;
        int bind = gateway.bindOf(recipient);
        assertEquals(bind, binds.computeIfAbsent(recipient, unknown -> bind));
      }
    }
  }

  @Test
  void theProgramSendsAllMessages() throws Exception {
    List<String> lines = Printed.by(SmsGateway::main);
    var sent = new TreeSet<String>();
    lines.forEach(line -> sent.add(line.replaceFirst(".* to ", "")));
    assertEquals(90, lines.size());
    assertEquals(90, sent.size(), "each of its own");
  }
}
