package dev.pacegate.examples.recipes;

import dev.pacegate.Limiter;
import java.sql.SQLException;

/** A consumer of messages that spares the database behind it. */
final class SparingConsumer {

  /** The program's own write. */
  interface Table {
    void insert(String row) throws SQLException;
  }

  private final Table table;

  SparingConsumer(Table table) {
    this.table = table;
  }

  final Limiter database = Limiter.of("peer(50/1s) & concurrent(4)");

  void onMessage(String message) throws SQLException, InterruptedException {
    database.run(() -> table.insert(message)); // blocks the listener, so it fetches less
  }
}
