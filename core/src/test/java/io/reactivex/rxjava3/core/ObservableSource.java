package io.reactivex.rxjava3.core;

/** Stands for the interface of that name, on which the module does not depend. */
public interface ObservableSource {}
