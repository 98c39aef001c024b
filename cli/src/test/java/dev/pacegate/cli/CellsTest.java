package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The width of text in a terminal. */
class CellsTest {

  private static final String EMOJI = "\ud83d\ude00";
  private static final String FLAG = "\ud83c\udde9\ud83c\uddea"; // two letters, for Germany
  private static final String HEART = "\u2764\ufe0f"; // a symbol in the form of an emoji

  @ParameterizedTest
  @CsvSource({
    "'', 0",
    "pacegate, 8",
    "Größe, 5",
    "Zu\u0308rich, 6",
    "日本, 4",
    "한국, 4",
    "ｆｕｌｌ, 8",
    "ﾊﾝｶｸ, 4",
    "Ω…→, 3",
    "⌚, 2",
    "⌜, 1",
    "〿, 1",
    "x\u200by, 2",
    "co\u00adop, 5"
  })
  void lettersTakeOneCellWideOnesTwoAndMarksNone(String text, int cells) {
    assertEquals(cells, Cells.of(text));
  }

  @Test
  void emojiTakeTwo() {
    assertEquals(2, Cells.of(EMOJI));
    assertEquals(2, Cells.of(FLAG));
    assertEquals(2, Cells.of(HEART));
    assertEquals(1, Cells.of("\u2764"));
  }

  /** Each range by its ends, and what is beside it. */
  @Test
  void theEndsOfARangeAreInIt() {
    assertEquals(2, Cells.of("\u1100"));
    assertEquals(2, Cells.of("\u115f"));
    assertEquals(1, Cells.of("\u1160"));
    assertEquals(2, Cells.of("\uac00"));
    assertEquals(2, Cells.of("\ud7a3"));
    assertEquals(1, Cells.of("\ud7b0"));
    assertEquals(2, Cells.of(Character.toString(0x20000)));
    assertEquals(2, Cells.of(Character.toString(0x3fffd)));
    assertEquals(1, Cells.of(Character.toString(0x3fffe)));
  }

  @Test
  void cutTextFitsAndItsLastLetterKeepsItsMarks() {
    assertEquals("ab", Cells.cut("abc", 2));
    assertEquals("日", Cells.cut("日本", 3));
    assertEquals("日本", Cells.cut("日本", 4));
    assertEquals("", Cells.cut("日本", 1));
    assertEquals("u\u0308", Cells.cut("u\u0308ber", 1));
    assertEquals("a", Cells.cut("a" + EMOJI, 2));
    assertEquals("a" + EMOJI, Cells.cut("a" + EMOJI + EMOJI, 4));
  }

  @Test
  void textForATerminalIsCutAndFoldedByCells() {
    String wide = "日本 ".repeat(20).strip();
    assertEquals("日".repeat(8) + "…", LiveLine.cut("日".repeat(50), 21));
    assertEquals(
        List.of("日本 ".repeat(14).strip(), "日本 ".repeat(6).strip()),
        HelpWidth.folded(wide, 70).lines().toList());
    var table = new StatusTable(40);
    table.say(wide);
    assertEquals(
        List.of("日本 ".repeat(8).strip(), "    " + "日本 ".repeat(7).strip()),
        table.toString().lines().limit(2).toList());
  }
}
