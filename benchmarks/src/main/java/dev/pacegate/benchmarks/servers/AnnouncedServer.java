package dev.pacegate.benchmarks.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Programs that print their port and versions, as JSON, once they listen. */
public final class AnnouncedServer {

  private static final Pattern STARTED =
      Pattern.compile("\\{\"port\":(\\d+),\"versions\":\\{(.*)}}");
  private static final Pattern VERSION = Pattern.compile("\"([^\"]+)\":\"([^\"]+)\"");

  private AnnouncedServer() {}

  /** Returns what starts such a program. */
  public static Launcher launcher(List<String> command) {
    return folder -> {
      Path output = folder.resolve("output");
      return awaitStart(Server.start(output, command), output);
    };
  }

  private static Server awaitStart(Process process, Path output)
      throws IOException, InterruptedException {
    for (int i = 0; i < 3_000; i++) {
      Matcher started = STARTED.matcher(Files.readString(output));
      if (started.find()) {
        int port = Integer.parseInt(started.group(1));
        return new Server(process, port, versions(started.group(2)));
      }
      if (!process.isAlive()) {
        break;
      }
      Thread.sleep(10); // polls
    }
    process.destroyForcibly();
    throw Server.failure(process, output);
  }

  private static Map<String, String> versions(String printed) {
    var versions = new LinkedHashMap<String, String>();
    VERSION.matcher(printed).results().forEach(one -> versions.put(one.group(1), one.group(2)));
    return versions;
  }
}
