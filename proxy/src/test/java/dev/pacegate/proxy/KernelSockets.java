package dev.pacegate.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What the kernel of Linux tells of connections to a port of the loopback. */
enum KernelSockets {
  ESTABLISHED("01"),
  ASKING("02");

  private final String code;

  KernelSockets(String code) {
    this.code = code;
  }

  /** Returns how many sockets at the client's end are in this state. */
  long to(int port) {
    String address = String.format(Locale.ROOT, "0100007F:%04X", port);
    return Stream.of("tcp", "tcp6")
        .flatMap(family -> lines(Path.of("/proc/net", family)).stream())
        .map(line -> line.strip().split("\\s+", -1))
        .filter(fields -> fields[2].endsWith(address) && fields[3].equals(code))
        .count();
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
