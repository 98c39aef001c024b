package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the Java of docs/pekko.md as it stands there. */
@Tag("pages")
class JavaSnippetsTest {

  private static final Path PAGE = Path.of("..", "docs", "pekko.md");
  private static final Pattern SNIPPET =
      Pattern.compile("^```java\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);
  private static final String CLASS_PATH =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

  private static final String AROUND =
      """
      import dev.pacegate.*;
      import dev.pacegate.limit.*;
      import dev.pacegate.pekko.*;
      import java.time.Duration;
      import java.util.List;
      import java.util.concurrent.CompletionStage;
      import org.apache.pekko.Done;
      import org.apache.pekko.NotUsed;
      import org.apache.pekko.actor.ActorRef;
      import org.apache.pekko.actor.ActorSystem;
      import org.apache.pekko.actor.typed.javadsl.ActorContext;
      import org.apache.pekko.stream.javadsl.*;

      abstract class Snippet {
        interface Sms {
          int length();
        }

        record Submit(Sms sms, org.apache.pekko.actor.typed.ActorRef<Done> replyTo) {}

        org.apache.pekko.actor.typed.ActorRef<Submit> bind;

        Limiter api;
        Limiter peer;
        ActorSystem system;

        abstract Sms send(Sms sms);

        abstract CompletionStage<Sms> sendAsync(Sms sms);

        abstract CompletionStage<Done> sendAll(List<Sms> batch);

        void use(
            Source<Sms, NotUsed> source,
            SourceWithContext<Sms, Long, NotUsed> consumer,
            ActorContext<Void> context) {
      %s
        }
      }
      """;

  @Test
  void theJavaOfThePageCompiles(@TempDir Path folder) throws IOException {
    List<String> snippets =
        SNIPPET
            .matcher(Files.readString(PAGE))
            .results()
            .map((MatchResult match) -> match.group(1))
            .toList();
    assertEquals(4, snippets.size());
    for (String snippet : snippets) {
      var errors = new StringWriter();
      boolean compiled =
          ToolProvider.getSystemJavaCompiler()
              .getTask(
                  errors,
                  null,
                  null,
                  List.of("-d", folder.toString(), "-cp", CLASS_PATH),
                  null,
                  List.of(new Source(AROUND.replace("%s", snippet))))
              .call();
      assertTrue(compiled, () -> snippet + errors);
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
