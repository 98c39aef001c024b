package dev.pacegate.compatibility;

import feign.Feign;
import feign.Request;
import feign.RequestLine;
import feign.Retryer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.BasicHttpClientResponseHandler;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import retrofit2.HttpException;
import retrofit2.Retrofit;
import retrofit2.http.GET;
import retrofit2.http.Url;

/** HTTP clients as programs use them, with time-outs and no retries of their own. */
enum Clients {
  JDK {
    @Override
    void get(URI uri) throws Exception {
      HttpClient client = HttpClient.newBuilder().connectTimeout(connectTimeout(uri)).build();
      client.send(
          HttpRequest.newBuilder(uri).timeout(readTimeout(uri).plusMillis(50)).build(),
          BodyHandlers.ofString());
    }
  },

  URL_CONNECTION {
    @Override
    void get(URI uri) throws Exception {
      var connection = (HttpURLConnection) uri.toURL().openConnection();
      connection.setConnectTimeout(millis(connectTimeout(uri)));
      connection.setReadTimeout(millis(readTimeout(uri)));
      try (InputStream in = connection.getInputStream()) {
        in.readAllBytes();
      }
    }
  },

  REST_CLIENT {
    @Override
    void get(URI uri) {
      var factory = new SimpleClientHttpRequestFactory();
      factory.setConnectTimeout(connectTimeout(uri));
      factory.setReadTimeout(readTimeout(uri));
      rest(factory, uri);
    }
  },

  REST_CLIENT_JDK {
    @Override
    void get(URI uri) {
      var factory =
          new JdkClientHttpRequestFactory(
              HttpClient.newBuilder().connectTimeout(connectTimeout(uri)).build());
      factory.setReadTimeout(readTimeout(uri).plusMillis(50));
      rest(factory, uri);
    }
  },

  REST_CLIENT_APACHE {
    @Override
    void get(URI uri) throws IOException {
      try (CloseableHttpClient client = apache(uri)) {
        rest(new HttpComponentsClientHttpRequestFactory(client), uri);
      }
    }
  },

  WEB_CLIENT {
    @Override
    void get(URI uri) {
      var netty =
          reactor.netty.http.client.HttpClient.newConnection()
              .option(
                  io.netty.channel.ChannelOption.CONNECT_TIMEOUT_MILLIS,
                  millis(connectTimeout(uri)))
              .responseTimeout(readTimeout(uri));
      WebClient.builder()
          .clientConnector(new ReactorClientHttpConnector(netty))
          .build()
          .get()
          .uri(uri)
          .retrieve()
          .bodyToMono(Map.class)
          .block();
    }
  },

  FEIGN {
    @Override
    void get(URI uri) {
      Feign.builder()
          .retryer(Retryer.NEVER_RETRY)
          .options(new Request.Options(connectTimeout(uri), readTimeout(uri), true))
          .target(FeignApi.class, uri.resolve("/").toString())
          .get(uri);
    }
  },

  OKHTTP {
    @Override
    void get(URI uri) throws IOException {
      var request = new okhttp3.Request.Builder().url(uri.toString()).build();
      try (Response response = okhttp(uri).newCall(request).execute()) {
        response.body().string();
      }
    }
  },

  RETROFIT {
    @Override
    void get(URI uri) throws IOException {
      RetrofitApi api =
          new Retrofit.Builder()
              .baseUrl(uri.resolve("/").toString())
              .client(okhttp(uri))
              .build()
              .create(RetrofitApi.class);
      retrofit2.Response<ResponseBody> response = api.get(uri.toString()).execute();
      if (!response.isSuccessful()) {
        throw new HttpException(response); // as its adapters for futures do
      }
    }
  },

  APACHE {
    @Override
    void get(URI uri) throws IOException {
      try (CloseableHttpClient client = apache(uri)) {
        client.execute(new HttpGet(uri), new BasicHttpClientResponseHandler());
      }
    }
  };

  /** For Feign. */
  interface FeignApi {
    @RequestLine("GET ")
    String get(URI uri);
  }

  /** For Retrofit. */
  interface RetrofitApi {
    @GET
    retrofit2.Call<ResponseBody> get(@Url String uri);
  }

  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration LONG = Duration.ofSeconds(40);

  /** Short where no connection comes about. */
  private static Duration connectTimeout(URI uri) {
    return uri.getPath().equals("/full") ? SHORT : LONG;
  }

  /** Short where no answer or no end of it comes; a busy machine may be late with any other. */
  private static Duration readTimeout(URI uri) {
    return List.of("/stall", "/half").contains(uri.getPath()) ? SHORT : LONG;
  }

  private static int millis(Duration timeout) {
    return (int) timeout.toMillis();
  }

  /** Gets what is there, and reads it: as JSON, if the client does that. */
  abstract void get(URI uri) throws Exception;

  boolean throwsForStatus() {
    return this != JDK && this != OKHTTP; // they return the answer
  }

  boolean readsJson() {
    return name().startsWith("REST_CLIENT") || this == WEB_CLIENT;
  }

  boolean timesBodies() {
    return this != JDK; // whose time-out ends with the headers
  }

  boolean seesCutBodies() {
    return this != URL_CONNECTION && this != FEIGN; // HttpURLConnection says nothing of it
  }

  private static void rest(ClientHttpRequestFactory factory, URI uri) {
    RestClient.builder().requestFactory(factory).build().get().uri(uri).retrieve().body(Map.class);
  }

  private static OkHttpClient okhttp(URI uri) {
    return new OkHttpClient.Builder()
        .connectTimeout(connectTimeout(uri))
        .readTimeout(readTimeout(uri))
        .retryOnConnectionFailure(false)
        .build();
  }

  private static CloseableHttpClient apache(URI uri) {
    var config =
        ConnectionConfig.custom()
            .setConnectTimeout(millis(connectTimeout(uri)), TimeUnit.MILLISECONDS)
            .setSocketTimeout(millis(readTimeout(uri)), TimeUnit.MILLISECONDS)
            .build();
    return HttpClients.custom()
        .disableAutomaticRetries()
        .setConnectionManager(
            PoolingHttpClientConnectionManagerBuilder.create()
                .setDefaultConnectionConfig(config)
                .build())
        .build();
  }
}
