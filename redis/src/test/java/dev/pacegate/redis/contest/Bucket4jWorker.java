package dev.pacegate.redis.contest;

import io.github.bucket4j.BandwidthBuilder.BandwidthBuilderRefillStage;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;

/** Bucket4j over Lettuce. Variants: "greedy" (tokens one by one), "intervally" (all at once). */
final class Bucket4jWorker implements Contender {

  private final RedisClient client;
  private final BucketProxy bucket;

  private Bucket4jWorker(Load load) {
    client = RedisClient.create(load.redis());
    var connection = client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
    bucket =
        Bucket4jLettuce.casBasedBuilder(connection)
            .build()
            .builder()
            .build(load.name(), () -> configuration(load));
  }

  public static void main(String[] args) throws Exception {
    Load load = Load.ofArguments(args);
    Worker.run(new Bucket4jWorker(load), load);
  }

  private static BucketConfiguration configuration(Load load) {
    return BucketConfiguration.builder()
        .addLimit(
            limit -> {
              BandwidthBuilderRefillStage filled = limit.capacity(load.most());
              return switch (load.variant()) {
                case "greedy" -> filled.refillGreedy(load.most(), load.interval());
                case "intervally" -> filled.refillIntervally(load.most(), load.interval());
                default -> throw new IllegalArgumentException("greedy or intervally: " + load);
              };
            })
        .build();
  }

  @Override
  public void call(Request request) throws Exception {
    bucket.asBlocking().consume(1);
    request.send();
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
