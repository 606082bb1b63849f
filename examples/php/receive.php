<?php
// Receives callbacks, and takes only those that the gateway signed. PHP 8.1 or newer, nothing to install.

function isSigned(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > 300) return false;
    $given = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');
    $matches = 0;
    // Two secrets, with a space between them, while you replace one.
    foreach (explode(' ', (string) getenv('WIGWAG_CALLBACK_SECRET')) as $secret) {
        $key = base64_decode(substr($secret, strlen('whsec_')), true);
        // Without a key, anyone could sign.
        if (!str_starts_with($secret, 'whsec_') || !$key) throw new RuntimeException('set WIGWAG_CALLBACK_SECRET');
        $own = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        // Every pair is compared, so the time taken tells nothing.
        foreach ($given as $each) $matches += (int) hash_equals($own, $each);
    }
    return $matches > 0;
}

$body = (string) file_get_contents('php://input'); // the bytes as they came
if ($_SERVER['REQUEST_METHOD'] !== 'POST' || !isSigned($body)) {
    http_response_code(401);
    return;
}
// It may come again, with the same webhook-id: in a program of yours, insert that as a unique key, with the work.
$callback = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
file_put_contents('php://stderr', "{$callback['ClientReference']} {$callback['Ticket']} {$callback['Status']}\n");
http_response_code(204);
