package dev.pacegate.redis;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.Inlet;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.time.Time;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Makes the meters of the limit of one name. */
final class SharedSource implements MeterSource {

  private static final SecureRandom RANDOM = new SecureRandom();

  private final String name;
  private final Settings settings;
  private final Store store;
  private final Time time;
  private final AtomicReference<@Nullable LimitChange> changing = new AtomicReference<>();
  private volatile @Nullable Terms current;

  SharedSource(String name, Settings settings, Store store, Time time) {
    this.name = name;
    this.settings = settings;
    this.store = store;
    this.time = time;
  }

  @Override
  public void check(Limit limit) {
    terms(limit);
  }

  private Terms terms(Limit limit) {
    return Terms.of(limit, settings.partition());
  }

  @Override
  public FedMeter newMeter(Seat seat) {
    if (seat.key().isPresent()) {
      throw new IllegalArgumentException("keys cannot share a limit yet: " + seat.key().get());
    }
    Terms terms = terms(seat.limit());
    current = terms;
    var limit =
        new SharedLimit(name, random(), settings, store, time, seat.inlet(), new LeaseBook(terms));
    return new SharedMeter(terms, limit, seat.now());
  }

  @Override
  public boolean takesChange(Limit next, Inlet inlet) {
    Terms from = current;
    if (from == null) {
      return false;
    }
    var change = new LimitChange(random(), name, from, terms(next), inlet, store, time);
    LimitChange earlier = changing.getAndSet(change);
    if (earlier != null) {
      earlier.drop();
    }
    change.send();
    return true;
  }

  private static String random() {
    byte[] bytes = new byte[8];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
