/**
 * Pacegate in Spring Boot 3.5 and 4: limiters by property, paced clients and methods. Begin with
 * {@link dev.pacegate.spring.Throttled} and {@link dev.pacegate.spring.PacedInterceptor}.
 */
@NullMarked
package dev.pacegate.spring;

import org.jspecify.annotations.NullMarked;
