<?php
// Sends a message, and reads its status until it is final. PHP 8.1 or newer, nothing to install.

function mayRepeat(int $status, ?string $code): bool
{
    return $status === 408 || $status === 429 || $status >= 500 || $code === 'idempotency_in_progress';
}

function giveUp(string $why): never
{
    fwrite(STDERR, "$why\n");
    exit(1);
}

/** Repeats the same request, with the same key, while that can help. */
function call(string $method, string $path, ?array $body = null, string $key = '', int $attempts = 3): array
{
    $headers = [
        'Authorization: Basic ' . base64_encode(getenv('WIGWAG_CLIENT_ID') . ':' . getenv('WIGWAG_CLIENT_SECRET')),
        'X-Wallet: Token ' . getenv('WIGWAG_WALLET_TOKEN'),
        'Content-Type: application/json',
    ];
    if ($key !== '') $headers[] = "Idempotency-Key: $key";
    $http = ['method' => $method, 'header' => $headers, 'timeout' => 30, 'ignore_errors' => true];
    if ($body !== null) $http['content'] = json_encode($body, JSON_THROW_ON_ERROR);
    for ($attempt = 1; ; $attempt++) {
        $http_response_header = [];
        $text = @file_get_contents(getenv('WIGWAG_BASE_URL') . $path, false, stream_context_create(['http' => $http]));
        $head = implode("\n", $http_response_header);
        $status = preg_match('~^HTTP/\S+ (\d+)~', $head, $found) ? (int) $found[1] : 0;
        $answer = json_decode((string) $text, true);
        if ($status === 200 && is_array($answer)) return $answer;
        // Without a whole answer, the message may have been taken.
        $isUncertain = $status === 0 || $status === 200;
        if (!$isUncertain && !mayRepeat($status, $answer['code'] ?? null)) giveUp("$status $text");
        if ($attempt === $attempts) giveUp($isUncertain ? "uncertain: ask again with the key $key" : "$status $text");
        $asked = preg_match('~^Retry-After: (\d+)~im', $head, $found) ? (int) $found[1] : 0;
        usleep((int) (1e6 * $asked + mt_rand(0, 500_000) * 2 ** ($attempt - 1)));
    }
}

$message = [
    'From' => 'WIGWAG',
    'To' => $argv[1],
    'Content' => 'Your order 1042 is on its way.',
    'Reference' => 'order-1042',
    'CallbackUrl' => getenv('CALLBACK_URL') ?: 'http://127.0.0.1:3000/callbacks',
];
// In a program of yours, store the key before the first request: then a crash does no harm either.
$sent = call('POST', '/v1/messages/sms', $message, bin2hex(random_bytes(16)));
while (true) {
    $status = call('GET', "/v1/transactions/{$sent['Ticket']}/status");
    if (!in_array($status['Status'], ['pending', 'scheduled'], true)) break;
    sleep(1);
}
echo "{$sent['Ticket']} {$status['Status']} {$status['Cost']}\n";
