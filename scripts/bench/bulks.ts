export const BULK = '/v1/messages/sms/bulk/otm'

export function bulkOf(size: number, more: { CallbackUrl?: string } = {}): string {
  return JSON.stringify({
    From: 'WIGWAG',
    Content: 'The shop opens at nine tomorrow.',
    Recipients: Array.from({ length: size }, (_, index) => ({
      To: String(233_240_000_000 + index * 7 + 10),
      Reference: `c-${index}`,
    })),
    ...more,
  })
}

/** Has all of a bulk accepted. */
export async function sendBulk(
  { port }: { port: number },
  caller: Record<string, string>,
  body: string,
): Promise<void> {
  const headers = { ...caller, 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}${BULK}`, { method: 'POST', headers, body })
  if (response.status !== 200) throw new Error(`expected the bulk to be accepted, got ${response.status}`)
  await response.body?.cancel()
}
