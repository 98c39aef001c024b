package dev.pacegate.engine;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/** Reads private fields, so that the engine's need not be open to its whole package for tests. */
final class Fields {

  private Fields() {}

  /** Returns the value of a field that always has one. */
  static <T> T get(Object owner, String name, Class<? super T> type) {
    T value = find(owner, name, type);
    if (value == null) {
      throw new AssertionError(owner.getClass() + " has no value of " + name);
    }
    return value;
  }

  /** Returns the value of a field. */
  @SuppressWarnings("unchecked") // the caller knows the type's arguments
  static <T> @Nullable T find(Object owner, String name, Class<? super T> type) {
    try {
      return (@Nullable T) type.cast(field(owner, name).get(owner));
    } catch (IllegalAccessException impossible) {
      throw new AssertionError(impossible);
    }
  }

  static int number(Object owner, String name) {
    return get(owner, name, Integer.class);
  }

  static boolean flag(Object owner, String name) {
    return get(owner, name, Boolean.class);
  }

  static void set(Object owner, String name, @Nullable Object value) {
    try {
      field(owner, name).set(owner, value);
    } catch (IllegalAccessException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static Field field(Object owner, String name) {
    for (Class<?> type = owner.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field;
        }
      }
    }
    throw new AssertionError(owner.getClass() + " has no field " + name + " any more");
  }
}
