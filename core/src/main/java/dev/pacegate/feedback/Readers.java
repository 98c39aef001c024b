package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Several formats as one reader. They share what they understood, so that at the end the headers
 * that none of them understands can be logged.
 *
 * @param log where such headers are logged, if they are
 */
record Readers(List<HeaderFormat> formats, @Nullable UnknownHeaders log) implements AnswerReader {

  static Readers of(HeaderFormat format) {
    return new Readers(List.of(format), null);
  }

  static Readers both(AnswerReader first, AnswerReader second) {
    Readers one = readers(first);
    Readers other = readers(second);
    return new Readers(
        Stream.of(one, other).flatMap(both -> both.formats.stream()).toList(),
        one.log == null ? other.log : one.log);
  }

  private static Readers readers(AnswerReader reader) {
    return reader instanceof Readers readers
        ? readers
        : of(reading -> reader.read(reading.answer()));
  }

  @Override
  public PeerAnswer read(Answer answer) {
    var reading = new Reading(answer);
    PeerAnswer said = Evidence.all(formats, reading);
    if (log != null) {
      log.tell(reading);
    }
    return isStale(reading, said) ? said.withQuotas(List.of()) : said;
  }

  /** The quotas of an answer that a cache stored are those of an earlier request. */
  private static boolean isStale(Reading reading, PeerAnswer said) {
    return reading.isOfCache() && said.verdict() == PeerVerdict.ACCEPTED;
  }
}
