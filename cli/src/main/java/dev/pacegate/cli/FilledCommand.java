package dev.pacegate.cli;

import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A command for one line.
 *
 * @param arguments in bytes, as those of a line may be no valid text
 */
record FilledCommand(List<byte[]> arguments) {

  /** Returns a builder of its process. */
  ProcessBuilder process() {
    boolean areText = arguments.stream().allMatch(FilledCommand::isText);
    return new ProcessBuilder(
        areText
            ? arguments.stream().map(bytes -> new String(bytes, World.NATIVE)).toList()
            : throughShell());
  }

  /** Which of the two encodings is used for arguments depends on the JDK. */
  private static boolean isText(byte[] bytes) {
    String text = new String(bytes, World.NATIVE);
    return Arrays.equals(text.getBytes(World.NATIVE), bytes)
        && Arrays.equals(text.getBytes(Charset.defaultCharset()), bytes);
  }

  /**
   * Java can only pass valid text. For other bytes, a shell decodes their octal form before it
   * becomes the command; an x at the end keeps it from dropping newlines, and a dash is no plain
   * text, as printf would take it for an option.
   */
  private List<String> throughShell() {
    var script = new StringBuilder("set --");
    for (byte[] argument : arguments) {
      script.append("; a=$(printf '").append(octal(argument));
      script.append("x'); set -- \"$@\" \"${a%x}\"");
    }
    return List.of("/bin/sh", "-c", script.append("; exec \"$@\"").toString());
  }

  private static String octal(byte[] bytes) {
    var text = new StringBuilder();
    for (byte b : bytes) {
      text.append(isPlain(b, " _./:,=@+") ? String.valueOf((char) b) : octal(b));
    }
    return text.toString();
  }

  private static String octal(byte b) {
    return String.format("\\%03o", b & 0xff);
  }

  private static boolean isPlain(byte b, String others) {
    return b > 0 && (Character.isLetterOrDigit(b) || others.indexOf(b) >= 0);
  }

  /** Returns the command as a shell reads it, in one line; a byte of it is a character here. */
  String text() {
    return arguments.stream().map(FilledCommand::quoted).collect(Collectors.joining(" "));
  }

  private static String quoted(byte[] argument) {
    var text = new StringBuilder();
    boolean plain = argument.length > 0;
    boolean control = false;
    for (byte b : argument) {
      plain &= b < 0 || isPlain(b, "_./:,=@+-%");
      control |= (b >= 0 && b < ' ') || b == 127;
      text.append((char) (b & 0xff));
    }
    if (plain) {
      return text.toString();
    }
    return control ? dollarQuoted(argument) : "'" + text.toString().replace("'", "'\\''") + "'";
  }

  private static String dollarQuoted(byte[] argument) {
    var text = new StringBuilder("$'");
    for (byte b : argument) {
      boolean asIs = b < 0 || (b >= ' ' && b != 127 && b != '\'' && b != '\\');
      text.append(asIs ? String.valueOf((char) (b & 0xff)) : octal(b));
    }
    return text.append('\'').toString();
  }
}
