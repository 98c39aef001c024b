package dev.pacegate.cli;

import java.io.IOException;

/** How the output of commands is handled. */
interface Results extends AutoCloseable {

  /** What is to be done when the output of a command has been printed. */
  @FunctionalInterface
  interface WhenPrinted {
    void run() throws Failure;
  }

  /** The output of one command. */
  interface CommandResult {

    /** Sets where the command writes when it is run once more. */
    void attachAgain(ProcessBuilder command);

    /**
     * Called when the command has ended, before its permit can start another.
     *
     * @param printed is run once its output has been printed
     */
    void end(WhenPrinted printed) throws Failure;

    /** Prints what is ready, after {@link #end}. May wait for the reader of the output. */
    void finish() throws Failure;
  }

  /** The output of a command that has written it itself. */
  CommandResult WRITTEN =
      new CommandResult() {
        @Override
        public void attachAgain(ProcessBuilder command) {
          command.redirectOutput(ProcessBuilder.Redirect.INHERIT);
          command.redirectError(ProcessBuilder.Redirect.INHERIT);
        }

        @Override
        public void end(WhenPrinted printed) throws Failure {
          printed.run();
        }

        @Override
        public void finish() {}
      };

  /** Prepares for a command that is about to start, and sets where it writes. */
  CommandResult attach(ProcessBuilder command) throws IOException;

  /** Returns whether no more commands should be started for now. */
  boolean isFull();

  /** Returns whether the reader of the output may be gone, which only the commands notice. */
  default boolean mayLackAReader() {
    return false;
  }

  /** Drops output that has not been printed. */
  @Override
  void close();

  /** Returns results of commands that write to this process's own output. */
  static Results direct() {
    return new Results() {
      @Override
      public CommandResult attach(ProcessBuilder command) {
        WRITTEN.attachAgain(command);
        return WRITTEN;
      }

      @Override
      public boolean isFull() {
        return false;
      }

      @Override
      public boolean mayLackAReader() {
        return Output.isReadByAProcess();
      }

      @Override
      public void close() {}
    };
  }
}
