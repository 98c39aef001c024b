package dev.pacegate.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Each code of an older system's case that a test cites is one of {@code tidy/cases.txt}. */
final class CitedCases {

  static final String CASES = "tidy/cases.txt";

  private static final Pattern CASE = Pattern.compile("(?m)^([A-Z]+-\\d+) \\| \\S");
  private static final Pattern CODE =
      Pattern.compile("\\b(?:AT|DF|FT|GR|IR|LS|NT|PU|SE|ST|TB|TO|TT|TW|X)-\\d+\\b");

  private CitedCases() {}

  static List<String> judge(Sources sources) {
    Set<String> known =
        CASE.matcher(sources.texts().getOrDefault(CASES, ""))
            .results()
            .map((MatchResult found) -> found.group(1))
            .collect(Collectors.toSet());
    var red = new ArrayList<String>();
    for (SourceFile file : sources.java()) {
      if (file.isTest() && !file.module().equals("tidy")) {
        Matcher code = CODE.matcher(file.text());
        while (code.find()) {
          if (!known.contains(code.group())) {
            long line = file.text().substring(0, code.end()).lines().count();
            red.add(file.path() + ":" + line + ": " + code.group() + " is no case of " + CASES);
          }
        }
      }
    }
    return red;
  }
}
