/**
 * Small programs, each in one file with a {@code main}: an SMS gateway, an API with a quota, a
 * Kafka poll loop. They run in memory and need nothing but this build.
 */
@NullMarked
package dev.pacegate.examples;

import org.jspecify.annotations.NullMarked;
