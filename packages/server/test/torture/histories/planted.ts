import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Rule } from './check/violation.ts'

const SERVER = fileURLToPath(new URL('../../../', import.meta.url))
const ROOT = join(SERVER, '../..')

/** A mistake that somebody could make in the program, as a change of what was built. */
export interface Bug {
  name: string
  where: 'accept' | 'endMessages' | 'idempotency'
  /** This text is there exactly once, and becomes the other. */
  text: string
  becomes: string
  /** A rule that must find it. It may break others too. */
  breaks: Rule
}

/** The first is of the kind that only several gateways show. */
export const BUGS: readonly [Bug, ...Bug[]] = [
  {
    name: 'knows only the keys that came to the same gateway',
    where: 'idempotency',
    text: ', idempotency.key];',
    becomes: ', idempotency.key, process.pid];',
    breaks: 'keys',
  },
  {
    name: 'holds the price of one message for all that are accepted together',
    where: 'accept',
    text: 'CAST(sum(p) AS BIGINT) AS total FROM m',
    becomes: 'CAST(max(p) AS BIGINT) AS total FROM m',
    breaks: 'bank',
  },
  {
    name: 'keeps what was held for messages that were not delivered',
    where: 'endMessages',
    text: 'SET posted = posted - spent, held = held - released,',
    becomes: 'SET posted = posted - spent, held = held - spent,',
    breaks: 'bank',
  },
  {
    name: 'loses the last of several messages that are accepted together',
    where: 'accept',
    text: 'FROM m JOIN hold ON hold.id = m.w),\n  jobs AS (',
    becomes:
      'FROM m JOIN hold ON hold.id = m.w WHERE m.id < (SELECT max(id) FROM m) OR m.id = (SELECT min(id) FROM m)),\n  jobs AS (',
    breaks: 'once',
  },
  {
    name: 'charges for messages that were not delivered',
    where: 'endMessages',
    text: 'paid: settlementOf(ending.status) === "post" ? 1 : 0,',
    becomes: 'paid: ending.status === "cancelled" ? 0 : 1,',
    breaks: 'ledger',
  },
  {
    name: 'gives the first answer to another body',
    where: 'idempotency',
    text: 'if (fingerprint === idempotency?.fingerprint) return {',
    becomes: 'if (fingerprint) return {',
    breaks: 'keys',
  },
]

/** Makes a copy of the built program in a folder, with a bug in it, and gives its main file. */
export async function plant({ text, becomes }: Bug, folder: string): Promise<string> {
  const server = join(folder, 'packages', 'server')
  const dist = join(server, 'dist')
  await mkdir(server, { recursive: true })
  await cp(join(SERVER, 'dist'), dist, { recursive: true })
  for (const name of ['assets', 'migrations', 'package.json', 'node_modules'])
    await symlink(join(SERVER, name), join(server, name))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  let found = 0
  for (const name of (await readdir(dist)).filter((each) => each.endsWith('.js') && each !== 'testing.js')) {
    const code = await readFile(join(dist, name), 'utf8')
    const times = code.split(text).length - 1
    if (times === 0) continue
    found += times
    await writeFile(
      join(dist, name),
      code.replace(text, () => becomes),
    )
  }
  if (found !== 1) throw new Error(`expected this once in what was built, found it ${found} times: ${text}`)
  return join(dist, 'main.js')
}
