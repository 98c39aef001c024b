package dev.pacegate.cli;

import java.io.IOException;

/** What becomes of what commands write. */
interface Results extends AutoCloseable {

  /** What becomes of what one command writes. */
  interface Result {

    /** To be called when the command has ended. */
    void finish() throws Failure;
  }

  /** Prepares for a command that is about to be started, and tells it where to write. */
  Result attach(ProcessBuilder command) throws IOException;

  /** Returns whether no more commands should be started for now. */
  boolean isFull();

  /** Returns whether commands write to where a reader may be gone, of which only they are told. */
  default boolean mayLackAReader() {
    return false;
  }

  /** Forgets what has not been printed. */
  @Override
  void close();

  /** Returns the results of commands that write to where this process does. */
  static Results direct() {
    return new Results() {
      @Override
      public Result attach(ProcessBuilder command) {
        command.redirectOutput(ProcessBuilder.Redirect.INHERIT);
        command.redirectError(ProcessBuilder.Redirect.INHERIT);
        return () -> {};
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
