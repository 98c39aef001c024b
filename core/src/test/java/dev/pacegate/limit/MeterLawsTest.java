package dev.pacegate.limit;

import org.junit.jupiter.api.Nested;

/** The laws of every kind of limit, with the parameters that are hard for it. */
class MeterLawsTest {

  @Nested
  class TenPerMinute extends MeterLaws {
    TenPerMinute() {
      super("10/1m");
    }
  }

  @Nested
  class OnePer300Days extends MeterLaws {
    OnePer300Days() {
      super("1/300d");
    }
  }

  @Nested
  class ThreePer10Nanos extends MeterLaws {
    ThreePer10Nanos() {
      super("3/10ns");
    }
  }

  @Nested
  class SevenPerSecond extends MeterLaws {
    SevenPerSecond() {
      super("7/1s");
    }
  }

  @Nested
  class AsManyStampsAsFit extends MeterLaws {
    AsManyStampsAsFit() {
      super("2048/1s");
    }
  }

  @Nested
  class OneStampTooMany extends MeterLaws {
    OneStampTooMany() {
      super("2049/1s");
    }
  }

  @Nested
  class TenThousandPerSecond extends MeterLaws {
    TenThousandPerSecond() {
      super("10_000/1s");
    }
  }

  @Nested
  class ManyTokens extends MeterLaws {
    ManyTokens() {
      super("60/1m & 90_000/1m of tokens");
    }
  }

  @Nested
  class EightyThousandPerSecond extends MeterLaws {
    EightyThousandPerSecond() {
      super("80_000/1s");
    }
  }

  @Nested
  class APrimePerDay extends MeterLaws {
    APrimePerDay() {
      super("999_999_937/1d");
    }
  }

  @Nested
  class OnePerNano extends MeterLaws {
    OnePerNano() {
      super("1_000_000_000/1s");
    }
  }

  @Nested
  class WindowOfTokens extends MeterLaws {
    WindowOfTokens() {
      super("90/1m of tokens");
    }
  }

  @Nested
  class StartsOfAWindow extends MeterLaws {
    StartsOfAWindow() {
      super("starts(5/1s)");
    }
  }

  @Nested
  class PlainBucket extends MeterLaws {
    PlainBucket() {
      super("bucket(100/1s, burst=20)");
    }
  }

  @Nested
  class BucketOfOne extends MeterLaws {
    BucketOfOne() {
      super("bucket(1/1m)");
    }
  }

  @Nested
  class BucketOfThirds extends MeterLaws {
    BucketOfThirds() {
      super("bucket(3/10ns, burst=4)");
    }
  }

  @Nested
  class BucketOfSevenths extends MeterLaws {
    BucketOfSevenths() {
      super("bucket(7/1s, burst=3)");
    }
  }

  @Nested
  class FastBucket extends MeterLaws {
    FastBucket() {
      super("bucket(80_000/1s, burst=100)");
    }
  }

  @Nested
  class BucketOf600MillionPerSecond extends MeterLaws {
    BucketOf600MillionPerSecond() {
      super("bucket(3/5ns, burst=10)");
    }
  }

  @Nested
  class BucketOfAPrimePerDay extends MeterLaws {
    BucketOfAPrimePerDay() {
      super("bucket(999_999_937/1d, burst=1_000_000)");
    }
  }

  @Nested
  class BucketOf300Days extends MeterLaws {
    BucketOf300Days() {
      super("bucket(1/300d, burst=5)");
    }
  }

  @Nested
  class BucketOfOnePerNano extends MeterLaws {
    BucketOfOnePerNano() {
      super("bucket(1_000_000_000/1s, burst=1000)");
    }
  }

  @Nested
  class HugeBucket extends MeterLaws {
    HugeBucket() {
      super("bucket(1_000_000_007/97d, burst=100_000_000_000)");
    }
  }

  @Nested
  class BucketWithSlack extends MeterLaws {
    BucketWithSlack() {
      super("bucket(7/1s, burst=2, slack=100ms)");
    }
  }

  @Nested
  class BucketWithMuchSlack extends MeterLaws {
    BucketWithMuchSlack() {
      super("bucket(7/1s, burst=2, slack=1h)");
    }
  }

  @Nested
  class EmptyBucket extends MeterLaws {
    EmptyBucket() {
      super("bucket(10/1s, burst=7, initial=empty)");
    }
  }

  @Nested
  class BucketThatRefusesOversize extends MeterLaws {
    BucketThatRefusesOversize() {
      super("bucket(11/3s, burst=7, oversize=never)");
    }
  }

  @Nested
  class BucketOfTokens extends MeterLaws {
    BucketOfTokens() {
      super("bucket(1000/1m, burst=500, of=tokens)");
    }
  }

  @Nested
  class BucketPaidLater extends MeterLaws {
    BucketPaidLater() {
      super("bucket(5/1s, burst=5, pay=later)");
    }
  }

  @Nested
  class BucketPaidMuchLater extends MeterLaws {
    BucketPaidMuchLater() {
      super("bucket(7/1s, burst=2, pay=later, debt=1000, initial=empty)");
    }
  }

  @Nested
  class BucketWithSlackPaidLater extends MeterLaws {
    BucketWithSlackPaidLater() {
      super("bucket(3/10ns, pay=later, debt=4, slack=5ns)");
    }
  }

  @Nested
  class BucketsPaidNowAndLater extends MeterLaws {
    BucketsPaidNowAndLater() {
      super("bucket(10/1s, burst=5) & bucket(3/1s, pay=later, debt=20)");
    }
  }

  @Nested
  class SomeWarmup extends MeterLaws {
    SomeWarmup() {
      super("warmup(2/1s, over=4s)");
    }
  }

  @Nested
  class WarmupOfSevenths extends MeterLaws {
    WarmupOfSevenths() {
      super("warmup(7/1s, over=1s, cold=10)");
    }
  }

  @Nested
  class NoWarmup extends MeterLaws {
    NoWarmup() {
      super("warmup(10/1s, over=0s)");
    }
  }

  @Nested
  class WarmupOfANano extends MeterLaws {
    WarmupOfANano() {
      super("warmup(3/10ns, over=1ns, cold=2)");
    }
  }

  @Nested
  class WarmupThatIsNeverCold extends MeterLaws {
    WarmupThatIsNeverCold() {
      super("warmup(5/1s, over=4s, cold=1)");
    }
  }

  @Nested
  class WarmupWithSlack extends MeterLaws {
    WarmupWithSlack() {
      super("warmup(100/1s, over=300ms, slack=50ms)");
    }
  }

  @Nested
  class WarmupOf300Days extends MeterLaws {
    WarmupOf300Days() {
      super("warmup(1/300d, over=36500d, cold=1000)");
    }
  }

  @Nested
  class FastWarmup extends MeterLaws {
    FastWarmup() {
      super("warmup(999_999_937/1s, over=1d)");
    }
  }

  @Nested
  class WarmupOfTokens extends MeterLaws {
    WarmupOfTokens() {
      super("warmup(1000/1s, over=5s, of=tokens) & 10/1s");
    }
  }

  @Nested
  class BucketPaidLaterAndSpent extends MeterLaws {
    BucketPaidLaterAndSpent() {
      super("bucket(5/1s, burst=5, pay=later, initial=spent)");
    }
  }

  @Nested
  class SomeSpacing extends MeterLaws {
    SomeSpacing() {
      super("spacing(100ms)");
    }
  }

  @Nested
  class LongSpacing extends MeterLaws {
    LongSpacing() {
      super("spacing(300d)");
    }
  }

  @Nested
  class SpacingOfANano extends MeterLaws {
    SpacingOfANano() {
      super("spacing(1ns)");
    }
  }

  @Nested
  class FixedThreePerSecond extends MeterLaws {
    FixedThreePerSecond() {
      super("fixed(3/1s)");
    }
  }

  @Nested
  class FixedOnePer300Days extends MeterLaws {
    FixedOnePer300Days() {
      super("fixed(1/300d)");
    }
  }

  @Nested
  class FixedThreePer10Nanos extends MeterLaws {
    FixedThreePer10Nanos() {
      super("fixed(3/10ns)");
    }
  }

  @Nested
  class FixedEightyThousandPerSecond extends MeterLaws {
    FixedEightyThousandPerSecond() {
      super("fixed(80_000/1s)");
    }
  }

  @Nested
  class FixedOnePerNano extends MeterLaws {
    FixedOnePerNano() {
      super("fixed(1_000_000_000/1s)");
    }
  }

  @Nested
  class FixedWindowOfTokens extends MeterLaws {
    FixedWindowOfTokens() {
      super("fixed(90/1m, of=tokens)");
    }
  }

  @Nested
  class FixedAndOthers extends MeterLaws {
    FixedAndOthers() {
      super("fixed(10/1s) & fixed(500/1m, of=tokens) & spacing(10ms) & concurrent(4)");
    }
  }

  @Nested
  class FourAtOnce extends MeterLaws {
    FourAtOnce() {
      super("concurrent(4)");
    }
  }

  @Nested
  class OneAtOnce extends MeterLaws {
    OneAtOnce() {
      super("concurrent(1)");
    }
  }

  @Nested
  class NoLimit extends MeterLaws {
    NoLimit() {
      super("unlimited");
    }
  }

  @Nested
  class PeerWindow extends MeterLaws {
    PeerWindow() {
      super("peer(10/1m)");
    }
  }

  @Nested
  class PeerWindowOfOne extends MeterLaws {
    PeerWindowOfOne() {
      super("peer(1/1s, unanswered=3s)");
    }
  }

  @Nested
  class PeerWindowWithoutMargin extends MeterLaws {
    PeerWindowWithoutMargin() {
      super("peer(3/10ns, unanswered=25ns, margin=0s)");
    }
  }

  @Nested
  class PeerWindowImpatient extends MeterLaws {
    PeerWindowImpatient() {
      super("peer(20/1m, unanswered=0s, margin=2%)");
    }
  }

  @Nested
  class PeerWindowOfAsManyRunsAsFit extends MeterLaws {
    PeerWindowOfAsManyRunsAsFit() {
      super("peer(1024/1s)");
    }
  }

  @Nested
  class PeerWindowOfManyTokens extends MeterLaws {
    PeerWindowOfManyTokens() {
      super("peer(90_000/1m of tokens)");
    }
  }

  @Nested
  class CoarsePeerWindow extends MeterLaws {
    CoarsePeerWindow() {
      super("peer(5_000/10s)");
    }
  }

  @Nested
  class PeerSpacing extends MeterLaws {
    PeerSpacing() {
      super("peer(spacing(1s), unanswered=5s)");
    }
  }

  @Nested
  class PeerWindowOfTokens extends MeterLaws {
    PeerWindowOfTokens() {
      super("peer(900/1m of tokens)");
    }
  }

  @Nested
  class PeerBucket extends MeterLaws {
    PeerBucket() {
      super("peer(bucket(10/1s, burst=5), unanswered=2s)");
    }
  }

  @Nested
  class PeerBucketOfOne extends MeterLaws {
    PeerBucketOfOne() {
      super("peer(bucket(1/1s), unanswered=3s)");
    }
  }

  @Nested
  class FullPeerBucket extends MeterLaws {
    FullPeerBucket() {
      super("peer(bucket(7/1s, burst=20, initial=full), unanswered=1s, margin=1%+5ms)");
    }
  }

  @Nested
  class FastPeerBucket extends MeterLaws {
    FastPeerBucket() {
      super("peer(bucket(3/10ns, burst=4), unanswered=100ns, margin=0s)");
    }
  }

  @Nested
  class PeerBucketOfTokens extends MeterLaws {
    PeerBucketOfTokens() {
      super("peer(bucket(1000/1m, burst=100, of=tokens), unanswered=10s)");
    }
  }

  @Nested
  class RequestsAndTokens extends MeterLaws {
    RequestsAndTokens() {
      super("60/1m & 900/1m of tokens");
    }
  }

  @Nested
  class ManyAtOnce extends MeterLaws {
    ManyAtOnce() {
      super("10/1s & 100/1m & spacing(10ms) & concurrent(4)");
    }
  }

  @Nested
  class BucketsOfBoth extends MeterLaws {
    BucketsOfBoth() {
      super("bucket(10/1s, burst=5) & bucket(100/1s, burst=300, of=tokens)");
    }
  }

  @Nested
  class PeerOfSeveral extends MeterLaws {
    PeerOfSeveral() {
      super("peer(10/1s & 30/1m & 500/1m of tokens, unanswered=20s)");
    }
  }

  @Nested
  class ConcurrentOfAName extends MeterLaws {
    ConcurrentOfAName() {
      super("concurrent(1000) of mb");
    }
  }

  @Nested
  class ConcurrentOfANameWithLost extends MeterLaws {
    ConcurrentOfANameWithLost() {
      super("concurrent(7, unanswered=300ms) of mb");
    }
  }

  @Nested
  class ConcurrentOfANameAndOthers extends MeterLaws {
    ConcurrentOfANameAndOthers() {
      super("concurrent(50) of mb & concurrent(3) & peer(90/1s of mb) & 20/1s");
    }
  }

  @Nested
  class ConcurrentWithLost extends MeterLaws {
    ConcurrentWithLost() {
      super("concurrent(4, unanswered=300ms)");
    }
  }

  @Nested
  class ConcurrentWithLostAndOthers extends MeterLaws {
    ConcurrentWithLostAndOthers() {
      super("concurrent(2, unanswered=3s) & peer(10/1s, unanswered=1s) & 20/1s");
    }
  }

  @Nested
  class PeerAndConcurrent extends MeterLaws {
    PeerAndConcurrent() {
      super("peer(10/1s) & concurrent(3) & starts(20/1s)");
    }
  }

  @Nested
  class CalendarMinutes extends MeterLaws {
    CalendarMinutes() {
      super("aligned(10/1m)");
    }
  }

  @Nested
  class CalendarOfOne extends MeterLaws {
    CalendarOfOne() {
      super("aligned(1/10s, margin=0s, unanswered=2s)");
    }
  }

  @Nested
  class CalendarOfWideMargin extends MeterLaws {
    CalendarOfWideMargin() {
      super("aligned(3/1s, margin=1s, unanswered=5s)");
    }
  }

  @Nested
  class CalendarOfTokens extends MeterLaws {
    CalendarOfTokens() {
      super("aligned(90/1m, margin=200ms, unanswered=0s, of=tokens)");
    }
  }

  @Nested
  class CalendarHoursAtBerlin extends MeterLaws {
    CalendarHoursAtBerlin() {
      super("aligned(7/2h, zone=Europe/Berlin, margin=5m, unanswered=1h)", 60);
    }
  }

  @Nested
  class CalendarMonths extends MeterLaws {
    CalendarMonths() {
      super("aligned(5/1mo, zone=America/New_York, at=15-09:30)", 60);
    }
  }

  @Nested
  class CalendarOfAnOrigin extends MeterLaws {
    CalendarOfAnOrigin() {
      super("aligned(4/90s, origin=2000-01-01T00:00:07Z, margin=3s)");
    }
  }

  @Nested
  class CalendarAndBucket extends MeterLaws {
    CalendarAndBucket() {
      super("aligned(10/1m) & bucket(2/1s, burst=3)", 60);
    }
  }
}
