import { readFileSync } from 'node:fs'
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { eventually } from '../support/eventually.ts'
import { exposed } from '../support/exposed.ts'
import type { Server } from './server.ts'

/** The processes that the first one of a command has started. */
export function startedBy({ pid }: Pick<Server, 'pid'>): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

/** Whether a process has neither ended nor waits to be noticed as ended. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

export async function goneAreAll(pids: readonly number[]): Promise<void> {
  await eventually('all processes are gone', () => !pids.some(isAlive))
}

/** Asks over a connection of its own, so that the processes get the requests in turn. */
export function askAlone(
  url: string,
  { body, ...options }: RequestOptions & { body?: string } = {},
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const take = async (response: IncomingMessage) =>
      resolve({ status: response.statusCode, text: await text(response) })
    request(url, { ...options, agent: false }, (response) => take(response).catch(reject))
      .once('error', reject)
      .end(body)
  })
}

/** The sum of a metric over all its labels, as one of the processes tells it; undefined if it has none. */
export async function metricOf({ url }: Pick<Server, 'url'>, name: string): Promise<number | undefined> {
  const { samples } = exposed((await askAlone(`${url}/metrics`)).text)
  const values = samples.flatMap((sample) => (sample.name === name ? [sample.value] : []))
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
}

/** Waits until so many processes tell their numbers, which is when they take requests. */
export async function areUp(server: Pick<Server, 'url'>, processes: number): Promise<void> {
  await eventually(
    `${processes} processes take requests`,
    async () => (await metricOf(server, 'wigwag_processes').catch(() => 0)) === processes,
  )
}

/** The numbers of the processes that wrote lines with these words to the log. */
export function whoSaid({ said }: Pick<Server, 'said'>, words: string): number[] {
  const lines = said()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}') && line.includes(words))
  const numbers = lines.map((line) => Number(JSON.parse(line).process))
  return [...new Set(numbers)].sort()
}
