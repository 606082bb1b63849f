import { median, type Row } from './row.ts'
import { finals, loadEcho, loadSends, startEcho, startGateway } from './subjects.ts'

const SECONDS = 60

/** Messages that went the whole way, accepted, submitted, delivered and charged, a second, for a minute. */
export async function sustained(folder: string): Promise<Row[]> {
  const echo = await startEcho(folder)
  const before = await loadEcho(echo, 64, 3)
  const gateway = await startGateway(folder)
  await loadSends(gateway, 64, 3)
  const started = { final: await finals(gateway), cpu: gateway.cpuMs(), at: performance.now() }
  await loadSends(gateway, 64, SECONDS)
  const done = (await finals(gateway)) - started.final
  const seconds = (performance.now() - started.at) / 1_000
  const cpu = ((gateway.cpuMs() - started.cpu) * 1_000) / done
  const after = await loadEcho(echo, 64, 3)
  await Promise.all([echo.stop(), gateway.stop()])
  const bare = median([before.perSecond, after.perSecond])
  return [
    {
      what: `accepted to final a second / echoes a second, ${SECONDS} s`,
      figure: (done / seconds / bare).toFixed(2),
      goal: '≥ 0.3',
    },
    { what: 'processor time a message, all told', figure: `${cpu.toFixed(0)} µs`, goal: '≤ 80 µs' },
  ]
}
