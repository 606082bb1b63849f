import com.sun.net.httpserver.*;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.*;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receives callbacks, and takes only those that the gateway signed. Java 17 or newer, nothing to install. */
class Receive {
    static final List<byte[]> secrets = new ArrayList<>();
    static final Set<String> handled = ConcurrentHashMap.newKeySet(); // in a program of yours, a table with a unique key

    static boolean isSigned(Headers headers, byte[] body) throws GeneralSecurityException {
        var id = Objects.requireNonNullElse(headers.getFirst("webhook-id"), "");
        var timestamp = Objects.requireNonNullElse(headers.getFirst("webhook-timestamp"), "");
        if (!timestamp.matches("[0-9]{1,12}")) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > 300) return false;
        var given = Objects.requireNonNullElse(headers.getFirst("webhook-signature"), "").split(" ");
        boolean matches = false;
        for (var secret : secrets) {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.ISO_8859_1));
            var own = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.ISO_8859_1);
            // Every pair is compared, so the time taken tells nothing.
            for (var each : given) matches |= MessageDigest.isEqual(own, each.getBytes(StandardCharsets.ISO_8859_1));
        }
        return matches;
    }

    static int statusFor(HttpExchange exchange) throws IOException, GeneralSecurityException {
        var body = exchange.getRequestBody().readAllBytes(); // the bytes as they came
        if (!isSigned(exchange.getRequestHeaders(), body)) return 401;
        var id = exchange.getRequestHeaders().getFirst("webhook-id");
        if (handled.contains(id)) return 204;
        // In a program of yours, use your JSON library.
        var text = new String(body, StandardCharsets.UTF_8);
        var fields = Pattern.compile("\"(ClientReference|Ticket|Status)\":\"([^\"]*)\"").matcher(text).results();
        System.out.println(String.join(" ", fields.map(field -> field.group(2)).toList()));
        handled.add(id); // last: if the work fails, the callback comes again
        return 204;
    }

    public static void main(String[] args) throws IOException {
        // Two secrets, with a space between them, while you replace one.
        for (var secret : System.getenv("WIGWAG_CALLBACK_SECRET").split(" "))
            secrets.add(Base64.getDecoder().decode(secret.substring("whsec_".length())));
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/callbacks", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(statusFor(exchange), -1);
            } catch (GeneralSecurityException error) {
                throw new IOException(error); // no answer: the callback comes again
            }
        });
        server.start();
    }
}
