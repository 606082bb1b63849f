import java.io.IOException;
import java.net.URI;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.regex.Pattern;

/** Sends a message, and reads its status until it is final. Java 17 or newer, nothing to install. */
class Send {
    static final HttpClient client = HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(10)).build();

    /** A field of a JSON answer. In a program of yours, use your JSON library, for what is sent too. */
    static String field(String json, String name) {
        var found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(json);
        return found.find() ? found.group(1) : "";
    }

    static boolean mayRepeat(int status, String code) {
        return status == 408 || status == 429 || status >= 500 || code.equals("idempotency_in_progress");
    }

    /** Repeats the same request, with the same key, while that can help. */
    static String call(String method, String path, String body, String key) throws InterruptedException {
        var env = System.getenv();
        var basic = env.get("WIGWAG_CLIENT_ID") + ":" + env.get("WIGWAG_CLIENT_SECRET");
        var request = HttpRequest.newBuilder(URI.create(env.get("WIGWAG_BASE_URL") + path))
            .timeout(Duration.ofSeconds(30))
            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(basic.getBytes(StandardCharsets.UTF_8)))
            .header("X-Wallet", "Token " + env.get("WIGWAG_WALLET_TOKEN"))
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!key.isEmpty()) request.header("Idempotency-Key", key);
        for (int attempt = 1; ; attempt++) {
            long asked = 0;
            try {
                var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() == 200) return answer.body();
                if (attempt == 3 || !mayRepeat(answer.statusCode(), field(answer.body(), "code")))
                    throw new IllegalStateException(answer.statusCode() + " " + answer.body());
                asked = answer.headers().firstValueAsLong("Retry-After").orElse(0);
            } catch (IOException error) {
                // No answer, or half of one: the message may have been taken.
                if (attempt == 3) throw new IllegalStateException("uncertain: ask again with the key " + key, error);
            }
            Thread.sleep(asked * 1000 + (long) (Math.random() * 500 * Math.pow(2, attempt - 1)));
        }
    }

    public static void main(String[] args) throws InterruptedException {
        var callbackUrl = System.getenv().getOrDefault("CALLBACK_URL", "http://127.0.0.1:3000/callbacks");
        var message = """
            {"From":"WIGWAG","To":"%s","Content":"Your order 1042 is on its way.",
            "Reference":"order-1042","CallbackUrl":"%s"}""".formatted(args[0], callbackUrl);
        // In a program of yours, store the key before the first request: then a crash does no harm either.
        var sent = call("POST", "/v1/messages/sms", message, UUID.randomUUID().toString());
        var status = sent;
        while (List.of("pending", "scheduled").contains(field(status, "Status"))) {
            Thread.sleep(1000);
            status = call("GET", "/v1/transactions/" + field(sent, "Ticket") + "/status", "", "");
        }
        System.out.println(field(sent, "Ticket") + " " + field(status, "Status") + " " + field(status, "Cost"));
    }
}
