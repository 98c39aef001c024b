package dev.pacegate.examples.recipes;

import dev.pacegate.KeyedLimiter;
import java.io.IOException;

/** A limit for each customer, and one for all. */
final class PerCustomer {

  private final Api server;

  PerCustomer(Api server) {
    this.server = server;
  }

  final KeyedLimiter<String> customers =
      KeyedLimiter.builder("peer(10/1m)").within("peer(100/1s)").build();

  String order(String customer, String order) throws IOException, InterruptedException {
    return customers.call(customer, () -> server.send(order));
  }
}
