import { counted } from '@wigwag/contract'
import type { Config } from '../config.ts'
import { carrierOverview } from '../delivery/index.ts'
import { ok, type Verdict, warn } from '../domain/finding.ts'
import type { Retention } from '../domain/retention.ts'
import type { ReadOnlyDatabase } from '../platform/database/database.ts'
import type { CheckOptions } from './check-options.ts'

const A_DAY = 86_400_000

/** What is kept how long: as the gateways that run say it, else as the settings here do. */
export async function checkRetention(
  database: ReadOnlyDatabase,
  config: Config,
  options: CheckOptions,
): Promise<Verdict | Verdict[]> {
  const now = await options.now()
  const { reports } = await database.read((tx) => carrierOverview(tx, now, options.most))
  const here = inWords(config.retain)
  const [first, ...others] = reports
  if (!first) return ok(`${here}; no gateway runs`)
  if (others.every(({ retain }) => inWords(retain) === inWords(first.retain))) {
    const running = inWords(first.retain)
    if (running === here) return ok(running)
    return warn(
      `${running} in ${counted(reports.length, 'running gateway')}, but the settings here say ${here}: a gateway takes them over when it starts`,
    )
  }
  return reports.map(({ name, retain }) =>
    warn(`${inWords(retain)} in ${name}: set it alike for all gateways`),
  )
}

function inWords({ messagesMs, callbacksMs, auditMs }: Retention): string {
  const messages = `messages ${kept(messagesMs)}`
  const callbacks = `callbacks ${callbacksMs === undefined ? 'as long as their message' : kept(callbacksMs)}`
  return `${messages}, ${callbacks}, audit log ${kept(auditMs)}`
}

function kept(ms: number | undefined): string {
  return ms === undefined ? 'for ever' : counted(ms / A_DAY, 'day')
}
