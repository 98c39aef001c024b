package dev.pacegate.compatibility.llm;

import com.openai.client.OpenAIClient;
import com.openai.client.OpenAIClientImpl;
import com.openai.core.ClientOptions;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.http.client.jdk.JdkHttpClient;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.pacegate.Limiter;
import dev.pacegate.http.PacedHttpClient;
import dev.pacegate.http.RequestText;
import dev.pacegate.okhttp.PacedOkHttp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okio.Buffer;
import org.springframework.ai.openai.OpenAiChatOptions;

/** The clients of {@code docs/llm.md}, as they stand there. */
enum LlmClient {
  PLAIN {
    @Override
    Ask open(Ask.Setup setup) {
      PacedHttpClient paced = paced(setup.limits());
      return (model, prompt) ->
          checked(paced.send(request(setup, model, prompt, false), BodyHandlers.ofString()));
    }
  },

  PLAIN_STREAMED {
    @Override
    Ask open(Ask.Setup setup) {
      PacedHttpClient paced = paced(setup.limits());
      return (model, prompt) -> {
        HttpRequest request = request(setup, model, prompt, true);
        try (Stream<String> lines =
            checked(paced.sendAsync(request, BodyHandlers.ofLines()).get()).body()) {
          lines.forEach(line -> {});
        }
      };
    }
  },

  LANGCHAIN4J(true) {
    @Override
    Ask open(Ask.Setup setup) {
      PacedHttpClient paced = paced(setup.limits());
      var models = setup.each(name -> langchain4j(setup, paced, name));
      return (model, prompt) -> models.get(model).chat(prompt);
    }
  },

  LANGCHAIN4J_STREAMED {
    @Override
    Ask open(Ask.Setup setup) {
      PacedHttpClient paced = paced(setup.limits());
      var models = setup.each(name -> streaming(setup, paced, name));
      return (model, prompt) -> {
        var done = new CompletableFuture<AiMessage>();
        models.get(model).chat(prompt, new Handler(done));
        done.get();
      };
    }
  },

  OPENAI_JAVA(true) {
    @Override
    Ask open(Ask.Setup setup) {
      OpenAIClient openai = openai(setup, okhttp(setup.limits()));
      return (model, prompt) -> openai.chat().completions().create(params(model, prompt));
    }
  },

  OPENAI_JAVA_STREAMED(true) {
    @Override
    Ask open(Ask.Setup setup) {
      OpenAIClient openai = openai(setup, okhttp(setup.limits()));
      return (model, prompt) -> {
        try (var response = openai.chat().completions().createStreaming(params(model, prompt))) {
          response.stream().forEach(chunk -> {});
        }
      };
    }
  },

  SPRING_AI(true) {
    @Override
    Ask open(Ask.Setup setup) {
      OpenAIClient openai = openai(setup, okhttp(setup.limits()));
      var models = setup.each(name -> springAi(openai, name));
      return (model, prompt) -> models.get(model).call(prompt);
    }
  },

  SPRING_AI_STREAMED(true) {
    @Override
    Ask open(Ask.Setup setup) {
      OpenAIClient openai = openai(setup, okhttp(setup.limits()));
      var models = setup.each(name -> springAi(openai, name));
      return (model, prompt) -> models.get(model).stream(prompt).blockLast();
    }
  };

  private final boolean retries;

  LlmClient() {
    this(false);
  }

  LlmClient(boolean retries) {
    this.retries = retries;
  }

  /** Whether the client sends a request again by itself, unless that is switched off. */
  boolean retries() {
    return retries;
  }

  abstract Ask open(Ask.Setup setup);

  static PacedHttpClient paced(Map<String, Limiter> limits) {
    PacedHttpClient paced =
        PacedHttpClient.builder(HttpClient.newHttpClient())
            .limiters(request -> limits.get(Tokens.model(RequestText.of(request))))
            .cost(request -> Tokens.atMost(RequestText.of(request)))
            .settleText(Tokens::used)
            .build();
    return paced;
  }

  static HttpRequest request(Ask.Setup setup, String model, String prompt, boolean streams) {
    String json =
        """
        {"model": "%s", "max_tokens": %d, "messages": [{"role": "user", "content": "%s"}],
        "stream": %s, "stream_options": {"include_usage": true}}"""
            .formatted(model, Ask.MAX_TOKENS, prompt, streams);
    return HttpRequest.newBuilder(URI.create(setup.url() + "/chat/completions"))
        .POST(BodyPublishers.ofString(json))
        .build();
  }

  static <T> HttpResponse<T> checked(HttpResponse<T> response) throws IOException {
    if (response.statusCode() != 200) {
      throw new IOException("status " + response.statusCode());
    }
    return response;
  }

  static OpenAiChatModel langchain4j(Ask.Setup setup, PacedHttpClient paced, String name) {
    String baseUrl = setup.url();
    String apiKey = "key";
    int retries = setup.retries();
    return OpenAiChatModel.builder()
        .httpClientBuilder(JdkHttpClient.builder().httpClientBuilder(paced.asBuilder()))
        .baseUrl(baseUrl)
        .apiKey(apiKey)
        .modelName(name)
        .maxTokens(300)
        .maxRetries(retries)
        .build();
  }

  static OpenAiStreamingChatModel streaming(Ask.Setup setup, PacedHttpClient paced, String name) {
    return OpenAiStreamingChatModel.builder()
        .httpClientBuilder(JdkHttpClient.builder().httpClientBuilder(paced.asBuilder()))
        .baseUrl(setup.url())
        .apiKey("key")
        .modelName(name)
        .maxTokens(300)
        .build();
  }

  static OkHttpClient okhttp(Map<String, Limiter> limits) {
    var dispatcher = new Dispatcher();
    dispatcher.setMaxRequestsPerHost(64); // asynchronous requests in flight; the default is 5
    OkHttpClient okhttp =
        PacedOkHttp.builder(new OkHttpClient.Builder().dispatcher(dispatcher).build())
            .limiters(request -> limits.get(Tokens.model(text(request))))
            .cost(request -> Tokens.atMost(text(request)))
            .settleText(Tokens::used)
            .build();
    return okhttp;
  }

  static String text(Request request) {
    var text = new Buffer();
    try {
      request.body().writeTo(text);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return text.readUtf8();
  }

  static OpenAIClient openai(Ask.Setup setup, OkHttpClient okhttp) {
    String baseUrl = setup.url();
    String apiKey = "key";
    int retries = setup.retries();
    OpenAIClient openai =
        new OpenAIClientImpl(
            ClientOptions.builder()
                .httpClient(new com.openai.client.okhttp.OkHttpClient(okhttp))
                .baseUrl(baseUrl)
                .apiKey(apiKey)
                .maxRetries(retries)
                .build());
    return openai;
  }

  static ChatCompletionCreateParams params(String model, String prompt) {
    return ChatCompletionCreateParams.builder()
        .model(model)
        .addUserMessage(prompt)
        .maxCompletionTokens(300)
        .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build())
        .build();
  }

  static org.springframework.ai.openai.OpenAiChatModel springAi(OpenAIClient openai, String name) {
    return org.springframework.ai.openai.OpenAiChatModel.builder()
        .openAiClient(openai)
        .openAiClientAsync(openai.async())
        .options(OpenAiChatOptions.builder().model(name).maxTokens(300).streamUsage(true).build())
        .build();
  }

  private record Handler(CompletableFuture<AiMessage> done)
      implements StreamingChatResponseHandler {

    @Override
    public void onPartialResponse(String part) {}

    @Override
    public void onCompleteResponse(ChatResponse response) {
      done.complete(response.aiMessage());
    }

    @Override
    public void onError(Throwable failure) {
      done.completeExceptionally(failure);
    }
  }
}
