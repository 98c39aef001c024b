/** A limit and a promise of a user's own. */
module org.example.rounds {
  requires dev.pacegate;
  requires dev.pacegate.simulator;
}
