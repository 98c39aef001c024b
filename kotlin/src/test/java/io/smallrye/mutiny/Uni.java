package io.smallrye.mutiny;

/** The type by whose name results are recognised: the library is no dependency. */
public interface Uni {}
