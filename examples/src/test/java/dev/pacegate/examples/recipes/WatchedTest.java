package dev.pacegate.examples.recipes;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WatchedTest {

  @Test
  void prometheusSeesWhatWasGranted() throws InterruptedException {
    var recipe = new Watched();
    recipe.api.run(() -> {});
    String scraped = recipe.scrape();
    assertTrue(
        scraped.lines().anyMatch(line -> line.matches("pacegate_.*limiter=\"api\".* 1\\.0")),
        scraped);
  }
}
