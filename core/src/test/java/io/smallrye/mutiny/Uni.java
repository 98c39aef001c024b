package io.smallrye.mutiny;

/** Stands for the interface of that name, on which the module does not depend. */
public interface Uni {}
