package dev.pacegate.compatibility;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.PeerVerdict;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.AnswerReader;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.awscore.internal.AwsErrorCode;

/** An error by which AWS throttles is a refusal, for us as for its SDK. */
class AwsThrottlingTest {

  /** It is about another request that is under way, not about a limit. */
  private static final String CONFLICT = "TransactionInProgressException";

  @Test
  void theErrorsThatTheSdkTakesForThrottlingAreRefused() {
    var accepted = new TreeSet<String>();
    for (String error : AwsErrorCode.THROTTLING_ERROR_CODES) {
      var answer = new Answer(400, Map.of("x-amzn-ErrorType", List.of(error)), Instant.EPOCH);
      if (AnswerReader.standard().read(answer).verdict() != PeerVerdict.REFUSED) {
        accepted.add(error);
      }
    }
    assertEquals(Set.of(CONFLICT), accepted);
  }
}
