package dev.pacegate.redis.rig;

/** Redis 6.2. */
class RedisServerTest extends RedisServerCases {

  @Override
  Version version() {
    return Version.V6_2;
  }

  @Override
  String versionPrefix() {
    return "6.2.";
  }
}
