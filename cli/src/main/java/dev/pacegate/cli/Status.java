package dev.pacegate.cli;

/** Exit statuses. */
final class Status {

  static final int OK = 0;

  /** A limit was broken. */
  static final int BROKEN = 1;

  /** Bad arguments or bad input. */
  static final int BAD = 2;

  /** What follows the exit statuses of a command, in its help. */
  static final String AND_OTHERS = " Those of all commands are in 'pacegate --help'.";

  /** The exit statuses of commands that do something at a store, for their help. */
  static final String AT_A_STORE =
      "Exit status: 0 on success; 2 for bad arguments, or if the store refuses or does not answer."
          + Status.AND_OTHERS;

  /** Reading or writing failed; this and the next one are as of {@code sysexits.h}. */
  static final int IO = 74;

  /** Nothing failed, but something is left for later. */
  static final int LEFT = 75;

  /** Some command failed; this and the following ones are as of {@code xargs}. */
  static final int COMMAND_FAILED = 123;

  /** A command ended with status 255, which stops the run. */
  static final int COMMAND_SAID_STOP = 124;

  /** A command was killed. */
  static final int COMMAND_KILLED = 125;

  /** A command could not be started. */
  static final int CANNOT_RUN = 126;

  /** There is no such command. */
  static final int NOT_FOUND = 127;

  /** A process killed by signal n has the status 128 + n. */
  static final int SIGNALLED = 128;

  /** Interrupted at the terminal: the status of a process that SIGINT killed. */
  static final int INTERRUPTED = SIGNALLED + 2;

  /** The reader of the output is gone: the status of a process that SIGPIPE killed. */
  static final int NO_READER = SIGNALLED + 13;

  private Status() {}
}
