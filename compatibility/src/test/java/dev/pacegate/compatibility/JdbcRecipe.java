package dev.pacegate.compatibility;

import dev.pacegate.Limiter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** The recipe of {@code docs/recipes.md} for JDBC. */
final class JdbcRecipe {

  private final DataSource pool;

  JdbcRecipe(DataSource pool) {
    this.pool = pool;
  }

  final Limiter database = Limiter.of("peer(50/1s) & concurrent(4)");

  int insert(String row) throws SQLException, InterruptedException {
    return database.call(() -> insertNow(row)); // first a permit, then a connection
  }

  private int insertNow(String row) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement insert = connection.prepareStatement("insert into orders values (?)")) {
      insert.setString(1, row);
      return insert.executeUpdate();
    } catch (SQLException failure) {
      if ("53300".equals(failure.getSQLState())) { // PostgreSQL: too many connections
        database.peerRefused(Duration.ofSeconds(1)); // pauses all callers
      }
      throw failure;
    }
  }
}
