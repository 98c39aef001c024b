package dev.pacegate.feedback;

import java.util.Set;

/**
 * The errors by which services of AWS say that they throttle: those that its SDK for Java 2 treats
 * so, but for conflicts between requests. They come with status 400 or 503.
 */
final class AmazonErrors {

  private static final String HEADER = "x-amzn-ErrorType";

  private static final Set<String> THROTTLING =
      Set.of(
          "Throttling",
          "ThrottlingException",
          "ThrottledException",
          "RequestThrottled",
          "RequestThrottledException",
          "TooManyRequestsException",
          "RequestLimitExceeded",
          "ProvisionedThroughputExceededException",
          "BandwidthLimitExceeded",
          "EC2ThrottledException",
          "SlowDown");

  private AmazonErrors() {}

  static boolean throttles(Reading reading) {
    return reading.texts(HEADER).stream().map(AmazonErrors::name).anyMatch(THROTTLING::contains);
  }

  /** {@code com.amazonaws.sms#ThrottlingException:http://…} without what is around the name. */
  private static String name(String text) {
    String error = text.split(":", 2)[0].trim();
    return error.substring(error.indexOf('#') + 1);
  }
}
