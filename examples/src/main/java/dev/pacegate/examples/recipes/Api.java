package dev.pacegate.examples.recipes;

import java.io.IOException;

/** A request of the user's own. */
interface Api {

  /** Sends {@code text} and returns the answer. */
  String send(String text) throws IOException;
}
