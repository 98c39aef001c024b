package dev.pacegate.compatibility;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Snapshot;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.h2.api.Trigger;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The recipe for JDBC, before a database that counts the rows that arrive. */
@Timeout(120)
class JdbcRecipeTest {

  private static final Queue<Long> ARRIVALS = new ConcurrentLinkedQueue<>();

  private final JdbcConnectionPool pool =
      JdbcConnectionPool.create("jdbc:h2:mem:recipe;DB_CLOSE_DELAY=-1", "sa", "");
  private final JdbcRecipe recipe = new JdbcRecipe(pool);
  private final ExecutorService threads = Executors.newFixedThreadPool(8);

  /** Called by H2. */
  public static final class Counting implements Trigger {
    @Override
    public void fire(Connection connection, Object[] before, Object[] row) {
      ARRIVALS.add(System.nanoTime());
    }
  }

  @BeforeEach
  void start() throws SQLException {
    ARRIVALS.clear();
    pool.setMaxConnections(4);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create table orders(text varchar)");
      statement.execute(
          "create trigger counting before insert on orders for each row call '"
              + Counting.class.getName()
              + "'");
    }
  }

  @AfterEach
  void stop() throws SQLException {
    threads.shutdownNow();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("shutdown");
    }
    pool.dispose();
  }

  private static void assertNothingLeft(Limiter limiter) {
    Snapshot snapshot = limiter.snapshot();
    assertEquals(0, snapshot.open());
    assertEquals(0, snapshot.waiting());
  }

  private List<Future<Integer>> submit(int times, Callable<Integer> job) {
    List<Future<Integer>> jobs = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      jobs.add(threads.submit(job));
    }
    return jobs;
  }

  private static void waitFor(List<Future<Integer>> jobs) throws Exception {
    for (Future<Integer> job : jobs) {
      assertEquals(1, job.get());
    }
  }

  @Test
  void statementsKeepTheLimitUnderLoad() throws Exception {
    recipe.database.setLimit("peer(20/100ms) & concurrent(4)");
    waitFor(submit(200, () -> recipe.insert("row")));
    assertEquals(200, ARRIVALS.size());
    var report = CountingServer.report(ARRIVALS, "20/100ms");
    assertTrue(report.kept(), report::text);
    assertNothingLeft(recipe.database);
  }

  /** The reason why each statement takes a permit of its own. */
  @Test
  void aPermitAroundSeveralStatementsExceedsTheLimit() throws Exception {
    recipe.database.setLimit("peer(10/1d)");
    for (int i = 0; i < 10; i++) {
      recipe.database.run(() -> insertThree());
    }
    assertEquals(30, ARRIVALS.size());
    assertFalse(CountingServer.report(ARRIVALS, "10/1d").kept());
  }

  private void insertThree() throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < 3; i++) {
        statement.executeUpdate("insert into orders values ('row')");
      }
    }
  }

  @Test
  void aStatementThatWaitsHoldsNoConnection() throws Exception {
    recipe.database.pause();
    List<Future<Integer>> waiting = submit(8, () -> recipe.insert("row"));
    awaitWaiting(8);
    assertEquals(0, pool.getActiveConnections());
    recipe.database.resume();
    waitFor(waiting);
    assertNothingLeft(recipe.database);
  }

  /** The reason why the connection comes second. */
  @Test
  void aConnectionThatIsTakenFirstIsHeldWhileItsStatementWaits() throws Exception {
    recipe.database.pause();
    List<Future<Integer>> waiting = submit(4, this::insertWithConnectionFirst);
    awaitWaiting(4);
    assertEquals(4, pool.getActiveConnections()); // all there are
    recipe.database.resume();
    waitFor(waiting);
  }

  private int insertWithConnectionFirst() throws SQLException, InterruptedException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      return recipe.database.call(
          () -> statement.executeUpdate("insert into orders values ('row')"));
    }
  }

  private void awaitWaiting(int requests) {
    while (recipe.database.snapshot().waiting() < requests) {
      assertFalse(Thread.interrupted(), "too few wait"); // by the time-out of the class
    }
  }

  @Test
  void aDatabaseThatHasTooManyConnectionsHasRefused() {
    var refused = new JdbcRecipe(failing(new SQLException("too many clients", "53300")));
    assertThrows(SQLException.class, () -> refused.insert("row"));
    assertEquals(1, refused.database.snapshot().refusedByPeer());
    assertEquals(0, refused.database.snapshot().lost());
    assertNothingLeft(refused.database);
  }

  @Test
  void anErrorOfTheDatabaseIsAnAnswer() {
    var broken = new JdbcRecipe(failing(new SQLException("duplicate key", "23505")));
    assertThrows(SQLException.class, () -> broken.insert("row"));
    assertEquals(0, broken.database.snapshot().lost());
    assertEquals(0, broken.database.snapshot().refusedByPeer());
    assertNothingLeft(broken.database);
  }

  @Test
  void aStatementThatTimesOutIsLost() {
    var slow = new JdbcRecipe(failing(new SQLTimeoutException("5 s")));
    slow.database.setLimit("peer(1/1d)");
    assertThrows(SQLException.class, () -> slow.insert("row"));
    assertEquals(1, slow.database.snapshot().lost());
    assertTrue(slow.database.tryAcquire().isEmpty());
  }

  @Test
  void aJobThatGetsNoConnectionInTimeIsLost() throws Exception {
    pool.setMaxConnections(1);
    pool.setLoginTimeout(1);
    try (Connection other = pool.getConnection()) {
      assertFalse(other.isClosed());
      assertThrows(SQLException.class, () -> recipe.insert("row"));
    }
    assertEquals(1, recipe.database.snapshot().lost());
    assertEquals(0, ARRIVALS.size());
    assertNothingLeft(recipe.database);
  }

  private static DataSource failing(SQLException failure) {
    return (DataSource)
        Proxy.newProxyInstance(
            JdbcRecipeTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              throw failure;
            });
  }
}
