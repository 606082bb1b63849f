import { demoHeaders, load } from './processes.ts'
import type { Row } from './row.ts'
import { loadSends, startGateway } from './subjects.ts'

export const bulkBody = JSON.stringify({
  From: 'WIGWAG',
  Content: 'The shop opens at nine tomorrow.',
  Recipients: Array.from({ length: 10_000 }, (_, index) => ({
    To: String(233_240_000_000 + index * 7 + 10),
    Reference: `c-${index}`,
  })),
})

/** How long single sends wait while bulks of 10,000 are being accepted. */
export async function bulk(folder: string): Promise<Row[]> {
  const gateway = await startGateway(folder)
  await loadSends(gateway, 64, 2)
  const [singles, bulks] = await Promise.all([
    loadSends(gateway, 64, 10),
    load({
      port: gateway.port,
      connections: 1,
      seconds: 10,
      path: '/v1/messages/sms/bulk/otm',
      callers: [demoHeaders(gateway)],
      body: bulkBody,
    }),
  ])
  await gateway.stop()
  return [
    {
      what: 'p99 of a single accept beside bulks of 10,000, 64 connections',
      figure: `${singles.p99.toFixed(0)} ms`,
      goal: '< 300 ms',
    },
    {
      what: 'bulks of 10,000 accepted meanwhile, median time each',
      figure: `${bulks.p50.toFixed(0)} ms`,
      goal: '',
    },
  ]
}
