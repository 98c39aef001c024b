package io.ktor.client.statement;

/** The type by whose name results are recognised: the library is no dependency. */
public final class HttpStatement {}
