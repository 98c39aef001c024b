package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.AutoComplete;
import picocli.CommandLine;

/**
 * Writes what is installed beside the program: completion for shells, and manual pages. Run when
 * the program is linked. All comes from what {@code --help} prints.
 */
final class Installed {

  private Installed() {}

  /** Writes the files into the folder that is given. */
  public static void main(String[] arguments) throws IOException {
    for (Map.Entry<String, String> file : files(Main.command(World.real())).entrySet()) {
      Path path = Path.of(arguments[0]).resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.write(path, file.getValue().getBytes(UTF_8));
    }
  }

  /** Returns the content of each file, by its path in the folder of the program. */
  static Map<String, String> files(CommandLine command) {
    var files = new LinkedHashMap<String, String>();
    files.put("completion/pacegate.bash", AutoComplete.bash("pacegate", command));
    files.put("completion/pacegate.fish", FishCompletion.of(command));
    addPages(command, files);
    return files;
  }

  private static void addPages(CommandLine command, Map<String, String> files) {
    var page = new ManualPage(command);
    files.put("man/man1/" + page.name() + ".1", page.text());
    command.getSubcommands().values().forEach(each -> addPages(each, files));
  }
}
