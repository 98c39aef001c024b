package dev.pacegate.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Whatever stops the loop: what is committed has been delivered, and what is not comes again. */
class PollLoopTest {

  private static final int EACH = 700;
  private static final List<TopicPartition> PARTITIONS =
      List.of(new TopicPartition("orders", 0), new TopicPartition("orders", 1));

  private static final class World {
    final Map<TopicPartition, Long> committed = new ConcurrentHashMap<>();
    final Map<TopicPartition, Long> delivered = new ConcurrentHashMap<>();
    final List<String> mishaps = Collections.synchronizedList(new ArrayList<>());
    final AtomicInteger paused = new AtomicInteger();

    World() {
      PARTITIONS.forEach(partition -> committed.put(partition, 0L));
    }

    /** Delivers in order from where the last run may have got; once more is allowed. */
    void deliver(ConsumerRecord<String, String> record) {
      var partition = new TopicPartition(record.topic(), record.partition());
      long next = delivered.getOrDefault(partition, 0L);
      if (record.offset() > next) {
        mishaps.add("lost: " + partition + " from " + next + " to " + record.offset());
      }
      delivered.put(partition, Math.max(next, record.offset() + 1));
    }

    boolean isComplete() {
      return PARTITIONS.stream().allMatch(partition -> next(partition) == EACH);
    }

    private long next(TopicPartition partition) {
      return committed.getOrDefault(partition, 0L);
    }

    /** A consumer that starts where the last one committed. */
    MockConsumer<String, String> consumer() {
      var consumer = new Checked(this);
      consumer.assign(PARTITIONS);
      consumer.updateBeginningOffsets(Map.copyOf(committed));
      for (TopicPartition partition : PARTITIONS) {
        for (long i = next(partition); i < EACH; i++) {
          String value = partition + " " + i;
          consumer.addRecord(
              new ConsumerRecord<>(partition.topic(), partition.partition(), i, "key", value));
        }
      }
      return consumer;
    }
  }

  /** Is used by one thread, and commits nothing that has not been delivered. */
  private static final class Checked extends MockConsumer<String, String> {
    private final World world;
    private final HashSet<Thread> users = new HashSet<>();

    Checked(World world) {
      super("earliest");
      this.world = world;
      setMaxPollRecords(500);
    }

    private void use() {
      if (users.add(Thread.currentThread()) && users.size() > 1) {
        world.mishaps.add("used by " + users);
      }
    }

    @Override
    public synchronized ConsumerRecords<String, String> poll(Duration timeout) {
      use();
      LockSupport.parkNanos(200_000); // a real one waits, this one would spin
      return super.poll(timeout);
    }

    @Override
    public synchronized void pause(Collection<TopicPartition> partitions) {
      use();
      world.paused.incrementAndGet();
      super.pause(partitions);
    }

    @Override
    public synchronized void resume(Collection<TopicPartition> partitions) {
      use();
      super.resume(partitions);
    }

    @Override
    public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
      use();
      offsets.forEach(
          (partition, offset) -> {
            if (offset.offset() > world.delivered.getOrDefault(partition, 0L)) {
              world.mishaps.add("committed but not delivered: " + partition + " " + offset);
            }
            world.committed.put(partition, offset.offset());
          });
      super.commitSync(offsets);
    }
  }

  private static void run(PollLoop loop, Runnable meanwhile) throws InterruptedException {
    var thread = new Thread(loop, "poll loop");
    thread.start();
    meanwhile.run();
    thread.join(120_000);
    assertFalse(thread.isAlive(), "the loop does not end");
  }

  private static void awaitThatOrTheEnd(PollLoop loop, World world) {
    while (loop.failure() == null && !world.isComplete()) {
      LockSupport.parkNanos(1_000_000);
    }
    loop.close();
  }

  @Test
  void everythingIsDeliveredAndCommittedAndTheConsumerPausesMeanwhile() throws Exception {
    var world = new World();
    long deadline = System.nanoTime() + 30_000_000_000L;
    var loop =
        new PollLoop(
            world.consumer(),
            Limiter.of("1000/100ms"),
            record -> {
              awaitPause(world, deadline);
              world.deliver(record);
            });
    run(loop, () -> awaitThatOrTheEnd(loop, world));
    assertEquals(List.of(), world.mishaps);
    assertNull(loop.failure());
    assertTrue(world.isComplete());
    assertTrue(world.paused.get() > 0, "1400 records do not fit in the queue");
  }

  /** A target that is fast may deliver as quickly as a busy machine lets the loop read. */
  private static void awaitPause(World world, long deadline) {
    while (world.paused.get() == 0 && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void aTargetThatFailsLosesNothing() throws Exception {
    var random = new Random(7);
    var world = new World();
    int runs = 0;
    for (; !world.isComplete(); runs++) {
      int failing = random.nextInt(300);
      var count = new int[1];
      var loop =
          new PollLoop(
              world.consumer(),
              Limiter.of("1000/100ms"),
              record -> {
                if (count[0]++ == failing) {
                  throw new IOException("thrown by a test");
                }
                world.deliver(record);
              });
      run(loop, () -> awaitThatOrTheEnd(loop, world));
      assertTrue(world.isComplete() || loop.failure() != null);
      assertEquals(List.of(), world.mishaps);
      assertEquals(world.delivered, nonZero(world));
    }
    assertTrue(runs > 3, "it was stopped now and then");
  }

  /** All that was delivered has been committed at the end. */
  private static Map<TopicPartition, Long> nonZero(World world) {
    var committed = new HashMap<>(world.committed);
    committed.values().removeIf(offset -> offset == 0);
    return committed;
  }

  @Test
  void aStopInTheMiddleLosesNothing() throws Exception {
    var random = new Random(11);
    var world = new World();
    for (int runs = 0; !world.isComplete(); runs++) {
      int micros = runs < 20 ? random.nextInt(40_000) : 10_000_000;
      var loop =
          new PollLoop(
              world.consumer(),
              Limiter.of("50/10ms"),
              record -> {
                if (record.offset() % 20 == 0) {
                  LockSupport.parkNanos(3_000_000); // is in the middle of it when the stop comes
                }
                world.deliver(record);
              });
      run(
          loop,
          () -> {
            long end = System.nanoTime() + micros * 1_000L;
            while (System.nanoTime() < end && !world.isComplete()) {
              LockSupport.parkNanos(500_000); // real time: a stop at any moment
            }
            loop.close();
          });
      assertNull(loop.failure());
      assertEquals(List.of(), world.mishaps);
      assertEquals(world.delivered, nonZero(world), "nothing goes on after the end");
    }
  }

  @Test
  void theProgramDeliversItsOrdersAndCommits() throws Exception {
    List<String> lines = Printed.by(PollLoop::main);
    List<String> orders = lines.stream().filter(line -> line.startsWith("order ")).toList();
    assertEquals(List.of("order 0", "order 50", "order 100", "order 150"), orders.subList(0, 4));
    assertTrue(lines.get(lines.size() - 1).startsWith("committed {orders-0="), lines::toString);
  }
}
