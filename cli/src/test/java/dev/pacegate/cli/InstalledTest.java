package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** What is installed beside the program knows all that {@code --help} tells. */
class InstalledTest {

  private final CommandLine command = Main.command(World.real());
  private final Map<String, String> files = Installed.files(Main.command(World.real()));

  private String file(String path) {
    return requireNonNull(files.get(path), path);
  }

  private static List<CommandLine> all(CommandLine command) {
    var all = new ArrayList<>(List.of(command));
    command.getSubcommands().values().forEach(each -> all.addAll(all(each)));
    return all;
  }

  @Test
  void bashCompletesEachCommandAndItsOptions() {
    String script = file("completion/pacegate.bash");
    for (String name : command.getSubcommands().keySet()) {
      assertTrue(script.contains("function _picocli_pacegate_" + name + "()"), name);
    }
    for (String option : List.of("--state", "--cost", "--store", "--by", "--seed")) {
      assertTrue(script.contains("'" + option + "'"), option);
    }
  }

  @Test
  void fishCompletesEachCommandAndItsOptions() {
    String script = file("completion/pacegate.fish");
    for (CommandLine each : all(command)) {
      String name = each.getCommandName();
      assertTrue(each == command || script.contains(" -a " + name + " "), name);
      for (OptionSpec option : each.getCommandSpec().options()) {
        String longest = option.longestName();
        assertTrue(script.contains(" -l " + longest.substring(2)), longest);
      }
    }
    for (String line : script.lines().toList()) {
      assertEquals(0, line.replace("\\'", "").chars().filter(c -> c == '\'').count() % 2, line);
    }
  }

  /** Without what is said of it. */
  private static String word(String offered) {
    return offered.substring(0, (offered + '\t').indexOf('\t'));
  }

  @ParameterizedTest
  @CsvSource({
    "'pacegate ', 'audit cluster limits pipe proxy run simulate'",
    "'pacegate pipe --re', '--report --rest'",
    "'pacegate pipe --cost ', 'bytes lines'",
    "'pacegate audit --unit ', 'ms ns s us'",
    "'pacegate cluster ', 'demo forget pause set status unfence'",
    "'pacegate cluster set ', 'file it.fish'", // as anything may follow
    "'pacegate cluster set --wh', '--why'",
  })
  @Tag("servers")
  @Timeout(60)
  void fishItselfOffersWhatCanFollow(String line, String words, @TempDir Path folder)
      throws Exception {
    Path script = Files.writeString(folder.resolve("it.fish"), file("completion/pacegate.fish"));
    Files.createFile(folder.resolve("file"));
    String asked = "source $argv[1]; complete -C $argv[2]";
    Process fish =
        new ProcessBuilder("fish", "--no-config", "-c", asked, script.toString(), line)
            .directory(folder.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String offered = new String(fish.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, fish.waitFor());
    assertEquals(words, offered.lines().map(InstalledTest::word).collect(joining(" ")));
  }

  @Test
  void eachCommandHasAManualPageWithItsOptionsAndItsExitStatus() {
    for (CommandLine each : all(command)) {
      String name = each.getCommandSpec().qualifiedName("-");
      String page = file("man/man1/" + name + ".1");
      assertTrue(
          page.startsWith(".TH " + name.toUpperCase(Locale.ROOT).replace("-", "\\-") + " 1\n"),
          page);
      for (OptionSpec option : each.getCommandSpec().options()) {
        String longest = option.longestName().replace("-", "\\-");
        assertTrue(page.contains(longest), () -> name + " lacks " + longest);
      }
      assertFalse(page.contains("${"), page);
    }
    assertTrue(file("man/man1/pacegate-run.1").contains("Exit status"), "exit statuses");
  }
}
