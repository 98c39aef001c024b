package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class CompletionTest {

  @Test
  void knowsEachCommandAndItsOptions() {
    String script = Completion.bash(World.real());
    for (String command : Main.command(World.real()).getSubcommands().keySet()) {
      assertTrue(script.contains("function _picocli_pacegate_" + command + "()"), command);
    }
    for (String option : List.of("--state", "--cost", "--store", "--by", "--seed")) {
      assertTrue(script.contains("'" + option + "'"), option);
    }
  }
}
