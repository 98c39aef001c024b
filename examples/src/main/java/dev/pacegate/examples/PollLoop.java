package dev.pacegate.examples;

import dev.pacegate.Limiter;
import dev.pacegate.dispatch.Throttler;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Forwards what a Kafka consumer reads, no faster than a limit, and commits what has been
 * forwarded: at least once, in the order of each partition.
 *
 * <p>A consumer belongs to one thread, which must keep polling or is taken for dead. So the poll
 * loop never waits for the limit: it queues what it reads at a {@link Throttler}, and while too
 * much is queued it polls on with all partitions paused. The throttler calls at its watermarks from
 * other threads; these calls only set a flag that the loop reads.
 *
 * <p>The first record that the target fails on stops the loop. The next start continues from what
 * was committed, and so reads that record again.
 */
public final class PollLoop implements Runnable, AutoCloseable {

  /** Where records go; what it throws stops the loop. */
  public interface Target {
    /** Forwards a record. */
    void forward(ConsumerRecord<String, String> record) throws Exception;
  }

  private static final Duration POLL = Duration.ofMillis(10);
  private static final int HIGH = 100;
  private static final int LOW = 20;
  private static final int MOST_PER_POLL = 500; // Kafka's own default of max.poll.records

  private final Consumer<String, String> consumer;
  private final Throttler<ConsumerRecord<String, String>> throttler;
  private final Map<TopicPartition, Long> forwarded = new ConcurrentHashMap<>();
  private final Map<TopicPartition, Long> committed = new HashMap<>(); // of the poll thread
  private volatile boolean full;
  private volatile boolean stopped;
  private volatile @Nullable Throwable failure;

  /** Makes a loop for a consumer that has its partitions assigned; {@link #run} is the loop. */
  public PollLoop(Consumer<String, String> consumer, Limiter limiter, Target target) {
    this.consumer = consumer;
    this.throttler =
        Throttler.<ConsumerRecord<String, String>>builder(limiter)
            .capacity(
                HIGH + MOST_PER_POLL) // there is room for a poll that begins below the watermark
            .watermarks(LOW, HIGH, () -> full = true, () -> full = false)
            .onFailure((record, thrown) -> fail(thrown))
            .build();
    throttler.target(record -> forward(record, target));
  }

  private void forward(ConsumerRecord<String, String> record, Target target) {
    try {
      target.forward(record);
    } catch (Exception thrown) {
      throw new IllegalStateException(thrown);
    }
    forwarded.put(new TopicPartition(record.topic(), record.partition()), record.offset() + 1);
  }

  /** Called before the next record is delivered, and after the end none is. */
  private void fail(Throwable thrown) {
    failure = thrown;
    close();
  }

  /** Polls until closed, and then commits what has been forwarded. The consumer is left open. */
  @Override
  public void run() {
    try {
      while (!stopped) {
        pauseOrResume();
        for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
          throttler.send(record);
        }
        commit();
      }
    } catch (InterruptedException interrupted) {
      stopped = true;
    } catch (IllegalStateException failed) {
      if (!stopped) { // otherwise the throttler was closed, and took no more
        throw failed;
      }
    } finally {
      end();
    }
  }

  private void end() {
    close();
    try {
      throttler.drain(Duration.ofSeconds(30)); // waits for what is being forwarded right now
    } catch (InterruptedException hurry) {
      // What is forwarded and not committed is forwarded again.
    }
    commit();
  }

  /** On the thread of the poll loop. What was assigned meanwhile is paused, too. */
  private void pauseOrResume() {
    if (full) {
      consumer.pause(consumer.assignment());
    } else {
      consumer.resume(consumer.paused());
    }
  }

  private void commit() {
    var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
    forwarded.forEach(
        (partition, next) -> {
          if (!next.equals(committed.put(partition, next))) {
            offsets.put(partition, new OffsetAndMetadata(next));
          }
        });
    if (!offsets.isEmpty()) {
      consumer.commitSync(offsets);
    }
  }

  /** Ends the loop, from any thread. What is queued is not forwarded: it will be read again. */
  @Override
  public void close() {
    stopped = true;
    throttler.close();
  }

  /** Returns what ended the loop, or null if it was closed or goes on. */
  public @Nullable Throwable failure() {
    return failure;
  }

  /** Forwards 300 records at 200 a second, from a consumer that lives in memory. */
  public static void main(String[] arguments) throws InterruptedException {
    var partition = new TopicPartition("orders", 0);
    var consumer = new MockConsumer<String, String>("earliest");
    consumer.assign(List.of(partition));
    consumer.updateBeginningOffsets(Map.of(partition, 0L));
    IntStream.range(0, 300)
        .mapToObj(i -> new ConsumerRecord<>("orders", 0, i, "key", "order " + i))
        .forEach(consumer::addRecord);
    var loop =
        new PollLoop(
            consumer,
            Limiter.of("200/1s"),
            record -> {
              if (record.offset() % 50 == 0) {
                System.out.println(record.value());
              }
            });
    var thread = new Thread(loop, "poll loop");
    thread.start();
    Thread.sleep(1500);
    loop.close();
    thread.join();
    System.out.println("committed " + loop.committed);
    consumer.close();
  }
}
