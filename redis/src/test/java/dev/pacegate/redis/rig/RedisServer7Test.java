package dev.pacegate.redis.rig;

import org.junit.jupiter.api.Tag;

/** The machine's own Redis. */
@Tag("servers")
class RedisServer7Test extends RedisServerCases {

  @Override
  Version version() {
    return Version.V7;
  }

  @Override
  String versionPrefix() {
    return "7.";
  }
}
