package dev.pacegate.adapter.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.adapter.tck.Comparison.ComparedCase;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {

  private static final String TABLE =
      """
      | case | limit | with the adapter | a permit around each call |
      |---|---|---|---|
      """;
  private static final String PAGE =
      "# Page\n\n## One\n\nText.\n\n" + TABLE + "| a | b | c | d |\n\nMore.\n\n## Two\n\n" + TABLE;

  @Test
  void aTableReplacesThatOfItsSectionOnly() {
    var one =
        new Comparison(
            List.of(new ComparedCase("redirects", "`5/1s`", "3 with 3", "**3 with 1**")));
    String page = one.into(PAGE, "## One");
    assertEquals(
        PAGE.replace("| a | b | c | d |", "| redirects | `5/1s` | 3 with 3 | **3 with 1** |"),
        page);
    assertEquals(one, Comparison.in(page, "## One"));
    assertEquals(List.of(), Comparison.in(page, "## Two").rows());
  }

  @Test
  void aPageWithoutTheSectionIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> Comparison.in(PAGE, "## Three"));
  }
}
