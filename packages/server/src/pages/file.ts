/** A text file to download. */
export function fileReply(
  body: ReadableStream<Uint8Array>,
  { name, type }: { name: string; type: string },
): Response {
  return new Response(body, {
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}
