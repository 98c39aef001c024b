package dev.pacegate.limit;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The laws of every kind of limit, with the parameters that are hard for it. */
@ParameterizedClass
@ValueSource(
    strings = {
      "10/1m",
      "1/300d",
      "3/10ns",
      "7/1s",
      "2048/1s", // as many stamps as fit
      "2049/1s", // one stamp too many
      "10_000/1s",
      "60/1m & 90_000/1m of tokens",
      "80_000/1s",
      "999_999_937/1d",
      "1_000_000_000/1s",
      "90/1m of tokens",
      "starts(5/1s)",
      "bucket(100/1s, burst=20)",
      "bucket(1/1m)",
      "bucket(3/10ns, burst=4)",
      "bucket(7/1s, burst=3)",
      "bucket(80_000/1s, burst=100)",
      "bucket(3/5ns, burst=10)",
      "bucket(999_999_937/1d, burst=1_000_000)",
      "bucket(1/300d, burst=5)",
      "bucket(1_000_000_000/1s, burst=1000)",
      "bucket(1_000_000_007/97d, burst=100_000_000_000)",
      "bucket(7/1s, burst=2, slack=100ms)",
      "bucket(7/1s, burst=2, slack=1h)",
      "bucket(10/1s, burst=7, initial=empty)",
      "bucket(11/3s, burst=7, oversize=never)",
      "bucket(1000/1m, burst=500, of=tokens)",
      "bucket(5/1s, burst=5, pay=later)",
      "bucket(7/1s, burst=2, pay=later, debt=1000, initial=empty)",
      "bucket(3/10ns, pay=later, debt=4, slack=5ns)",
      "bucket(10/1s, burst=5) & bucket(3/1s, pay=later, debt=20)",
      "warmup(2/1s, over=4s)",
      "warmup(7/1s, over=1s, cold=10)",
      "warmup(10/1s, over=0s)",
      "warmup(3/10ns, over=1ns, cold=2)",
      "warmup(5/1s, over=4s, cold=1)",
      "warmup(100/1s, over=300ms, slack=50ms)",
      "warmup(1/300d, over=36500d, cold=1000)",
      "warmup(999_999_937/1s, over=1d)",
      "warmup(1000/1s, over=5s, of=tokens) & 10/1s",
      "bucket(5/1s, burst=5, pay=later, initial=spent)",
      "spacing(100ms)",
      "spacing(300d)",
      "spacing(1ns)",
      "fixed(3/1s)",
      "fixed(1/300d)",
      "fixed(3/10ns)",
      "fixed(80_000/1s)",
      "fixed(1_000_000_000/1s)",
      "fixed(90/1m, of=tokens)",
      "fixed(10/1s) & fixed(500/1m, of=tokens) & spacing(10ms) & concurrent(4)",
      "concurrent(4)",
      "concurrent(1)",
      "concurrent(1000) of mb",
      "concurrent(7, unanswered=300ms) of mb",
      "concurrent(50) of mb & concurrent(3) & peer(90/1s of mb) & 20/1s",
      "unlimited",
      "peer(10/1m)",
      "peer(1/1s, unanswered=3s)",
      "peer(3/10ns, unanswered=25ns, margin=0s)",
      "peer(20/1m, unanswered=0s, margin=2%)",
      "peer(1024/1s)", // as many runs as fit
      "peer(90_000/1m of tokens)",
      "peer(5_000/10s)",
      "peer(spacing(1s), unanswered=5s)",
      "peer(900/1m of tokens)",
      "peer(bucket(10/1s, burst=5), unanswered=2s)",
      "peer(bucket(1/1s), unanswered=3s)",
      "peer(bucket(7/1s, burst=20, initial=full), unanswered=1s, margin=1%+5ms)",
      "peer(bucket(3/10ns, burst=4), unanswered=100ns, margin=0s)",
      "peer(bucket(1000/1m, burst=100, of=tokens), unanswered=10s)",
      "60/1m & 900/1m of tokens",
      "10/1s & 100/1m & spacing(10ms) & concurrent(4)",
      "bucket(10/1s, burst=5) & bucket(100/1s, burst=300, of=tokens)",
      "peer(10/1s & 30/1m & 500/1m of tokens, unanswered=20s)",
      "concurrent(4, unanswered=300ms)",
      "concurrent(2, unanswered=3s) & peer(10/1s, unanswered=1s) & 20/1s",
      "peer(10/1s) & concurrent(3) & starts(20/1s)",
      "aligned(10/1m)",
      "aligned(1/10s, margin=0s, unanswered=2s)",
      "aligned(3/1s, margin=1s, unanswered=5s)",
      "aligned(90/1m, margin=200ms, unanswered=0s, of=tokens)",
      "aligned(4/90s, origin=2000-01-01T00:00:07Z, margin=3s)"
    })
class MeterLawsTest extends MeterLaws {
  MeterLawsTest(String limit) {
    super(limit);
  }
}
