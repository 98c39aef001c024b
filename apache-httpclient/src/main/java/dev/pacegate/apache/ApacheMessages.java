package dev.pacegate.apache;

import static java.util.Objects.requireNonNull;

import dev.pacegate.adapter.HostKey;
import dev.pacegate.adapter.MessageReader;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;

/** Reads HttpClient's requests and responses. */
final class ApacheMessages implements MessageReader<ClassicHttpRequest, ClassicHttpResponse> {

  @Override
  public String host(ClassicHttpRequest request) {
    var authority = requireNonNull(request.getAuthority(), "the request names no host");
    return HostKey.of(URI.create(request.getScheme() + "://" + authority));
  }

  @Override
  public String method(ClassicHttpRequest request) {
    return request.getMethod();
  }

  @Override
  public boolean isRepeatable(ClassicHttpRequest request) {
    return request.getEntity() == null || request.getEntity().isRepeatable();
  }

  @Override
  public int status(ClassicHttpResponse response) {
    return response.getCode();
  }

  @Override
  public Map<String, List<String>> headers(ClassicHttpResponse response) {
    return all(response.getHeaders());
  }

  static Map<String, List<String>> all(Header... headers) {
    var all = new LinkedHashMap<String, List<String>>();
    for (Header header : headers) {
      all.computeIfAbsent(header.getName(), name -> new ArrayList<>()).add(header.getValue());
    }
    return all;
  }
}
