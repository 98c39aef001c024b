package dev.pacegate.compatibility;

import static dev.pacegate.compatibility.Verdicts.assertOutcome;

import dev.pacegate.limit.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the failures of real JDBC drivers say of a statement. */
@Timeout(60)
class DatabasesTest {

  private static void h2(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:failures");
        Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      statement.execute(sql);
    }
  }

  private static void postgres(int port) throws SQLException {
    String url =
        "jdbc:postgresql://127.0.0.1:"
            + port
            + "/db?sslmode=disable&gssEncMode=disable"
            + "&user=u&password=p&socketTimeout=1&connectTimeout=1";
    DriverManager.getConnection(url).close();
  }

  @Test
  void anErrorOfTheDatabaseIsAnAnswer() {
    assertOutcome(Outcome.ANSWERED, "H2 syntax", () -> h2("select nonsense"));
    assertOutcome(
        Outcome.ANSWERED,
        "H2 unique key",
        () -> h2("create table t(k int primary key) as select 1 union all select 1"));
  }

  @Test
  void aQueryThatTimesOutIsLost() {
    assertOutcome(
        Outcome.LOST,
        "H2 query time-out",
        () ->
            h2(
                "select count(*) from system_range(1, 1000000) a, system_range(1, 1000000) b"
                    + " where mod(a.x * b.x, 7) = 3"));
  }

  @Test
  void aRefusedConnectionIsNotSent() throws Exception {
    int port = Ports.refusing();
    assertOutcome(Outcome.NOT_SENT, "PostgreSQL refused", () -> postgres(port));
    assertOutcome(
        Outcome.NOT_SENT,
        "H2 refused",
        () -> DriverManager.getConnection("jdbc:h2:tcp://127.0.0.1:" + port + "/mem:x").close());
  }

  @Test
  void aDatabaseThatSaysNothingIsLost() throws Exception {
    try (var peer = new Peer()) {
      assertOutcome(
          Outcome.LOST, "PostgreSQL socket time-out", () -> postgres(peer.uri("/").getPort()));
    }
  }

  @Test
  void aDatabaseThatHangsUpIsLost() throws Exception {
    try (var database = new Hasty(new byte[0])) {
      assertOutcome(Outcome.LOST, "PostgreSQL closed", () -> postgres(database.port()));
    }
  }

  @Test
  void aDatabaseThatRefusesHasAnswered() throws Exception {
    try (var database = new Hasty(tooManyClients())) {
      assertOutcome(Outcome.ANSWERED, "PostgreSQL 53300", () -> postgres(database.port()));
    }
  }

  /** An ErrorResponse of PostgreSQL's protocol. */
  private static byte[] tooManyClients() {
    byte[] fields = "SFATAL\0C53300\0Mtoo many clients\0\0".getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(5 + fields.length)
        .put((byte) 'E')
        .putInt(4 + fields.length)
        .put(fields)
        .array();
  }

  /** Reads what a driver says first, answers, and hangs up. */
  private static final class Hasty implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    private final byte[] answer;

    Hasty(byte[] answer) throws IOException {
      this.answer = answer;
      var thread = new Thread(this::serve, "hasty database");
      thread.setDaemon(true);
      thread.start();
    }

    int port() {
      return listener.getLocalPort();
    }

    private void serve() {
      while (!listener.isClosed()) {
        try (Socket socket = listener.accept();
            OutputStream out = socket.getOutputStream()) {
          int length = ByteBuffer.wrap(socket.getInputStream().readNBytes(4)).getInt();
          socket.getInputStream().readNBytes(length - 4);
          out.write(answer);
        } catch (IOException over) {
          // The driver has gone, or the test is over.
        }
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
