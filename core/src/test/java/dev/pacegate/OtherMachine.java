package dev.pacegate;

import dev.pacegate.state.BootClock;

/** Lets a test in any package say on which machine a limiter runs. */
public final class OtherMachine {

  private OtherMachine() {}

  public static Limiter.Builder runs(Limiter.Builder builder, BootClock machine) {
    return builder.machine(machine);
  }
}
