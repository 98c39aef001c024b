package dev.pacegate.cli;

import picocli.AutoComplete;

/** Prints what completes commands and options in bash; run when the program is linked. */
final class Completion {

  private Completion() {}

  public static void main(String[] arguments) {
    System.out.print(bash(World.real()));
  }

  static String bash(World world) {
    return AutoComplete.bash("pacegate", Main.command(world));
  }
}
