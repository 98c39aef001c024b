package dev.pacegate.proxy;

import dev.pacegate.Limiter;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.logging.Logger;

/** Starts a proxy, takes all file descriptors, and logs for the first time. */
final class LogWithoutDescriptors {

  private LogWithoutDescriptors() {}

  public static void main(String[] none) {
    var proxy =
        PacedProxy.builder(URI.create("http://127.0.0.1:1")).limiter(Limiter.of("1/1s")).start();
    int status = 1;
    try {
      takeAll();
      Logger.getLogger("test").warning("logged all the same");
      status = 0;
    } catch (Throwable e) {
      System.out.println(e + " on port " + proxy.address().getPort());
    }
    Runtime.getRuntime().halt(status);
  }

  private static void takeAll() {
    var taken = new ArrayList<FileInputStream>();
    try {
      while (taken.size() < 10_000) {
        taken.add(new FileInputStream("/dev/null"));
      }
    } catch (IOException out) {
      return;
    }
    throw new IllegalStateException("there are more than " + taken.size());
  }
}
