package dev.pacegate.micrometer;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** A value of JSON, which is YAML as well. */
record Json(@Nullable Object value) {

  static Json parse(String text) {
    return new Json(new Load(LoadSettings.builder().build()).loadFromString(text));
  }

  Map<?, ?> map() {
    return (Map<?, ?>) requireNonNull(value);
  }

  Json get(String name) {
    return new Json(map().get(name));
  }

  List<Json> list() {
    return ((List<?>) requireNonNull(value)).stream().map(Json::new).toList();
  }

  String text() {
    return String.valueOf(value);
  }
}
