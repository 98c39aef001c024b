/**
 * What tests of Redis run beside themselves: servers, a proxy that cuts connections, other JVMs,
 * and a peer that counts. All of it is on the loopback, and closed by the test that started it.
 */
@NullMarked
package dev.pacegate.redis.rig;

import org.jspecify.annotations.NullMarked;
