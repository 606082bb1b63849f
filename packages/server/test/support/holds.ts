import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

/** A text that is sent, or the log that SQLite commits, takes up to 6 MB of fresh memory in one turn. */
const MOST_FRESH_MB = 12
/** A machine on which the JSON of 10,000 recipients takes longer to parse than 2.5 ms is slower than those of the promise. */
const MOST_PARSES = 8

const RECIPIENTS = 10_000

/** The largest bulk that one would send. */
export const LARGE_BULK = JSON.stringify({
  From: 'WIGWAG',
  Content: 'Hello',
  Recipients: Array.from({ length: RECIPIENTS }, (_, index) => ({
    To: String(233241000000 + index),
    Reference: `r-${index}`,
  })),
})

/** How long something held the thread, and what this machine takes for work of a known size just then, in milliseconds. */
export interface Hold {
  hold: number
  parse: number
  memory: number
}

/** Whether it was longer than it may be, and than known work takes on a machine that is slow just now. */
export function isTooLong({ hold, parse, memory }: Hold, mostMs: number): boolean {
  return hold > Math.max(mostMs, MOST_PARSES * parse, memory)
}

export function shownHold({ hold, parse, memory }: Hold): string {
  return `${hold.toFixed(1)} (a parse ${parse.toFixed(1)}, fresh memory ${memory.toFixed(1)})`
}

/** Measured beside a hold, since the machine may be slower in one round than in the next. */
function machineNow(): Omit<Hold, 'hold'> {
  return { parse: parseMs(), memory: freshMemoryMs() }
}

export async function measuredHold(work: () => Promise<unknown>): Promise<Hold> {
  return { hold: await longestHold(work), ...machineNow() }
}

/** The most processor time that this thread took in one turn of the event loop while some work went on. */
async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let over = false
  let last = processorMs()
  function look(): void {
    const now = processorMs()
    longest = Math.max(longest, now - last)
    last = now
    if (!over) setImmediate(look)
  }
  setImmediate(look)
  await work()
  over = true
  return longest
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The processor time that one parse of a bulk takes: of many, since the system counts it in steps of milliseconds. */
function parseMs(): number {
  const PARSES = 50
  const before = processorMs()
  for (let parse = 0; parse < PARSES; parse++) JSON.parse(LARGE_BULK)
  return (processorMs() - before) / PARSES
}

/**
 * The processor time that the system takes for fresh memory: of a piece so large that it is never one used before. However
 * fast a machine computes, it may give memory slowly, and a parse takes little that is fresh.
 */
function freshMemoryMs(): number {
  const PIECES = 4
  const before = processorMs()
  new Uint8Array(PIECES * MOST_FRESH_MB * 2 ** 20).fill(1)
  return (processorMs() - before) / PIECES
}

const CLIENT = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', async ({ url, ...init }) => {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  // A stream of events does not end.
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) await response.body.cancel()
  else await response.arrayBuffer()
  parentPort.postMessage(response.status)
})`

interface Asked {
  url: string
  method: string
  headers: Record<string, string>
  body?: string
}

/** A client in a thread of its own, so that only the gateway's work is measured. It asks one after the other. */
export function clientInThread(): (asked: Asked) => Promise<number> {
  const client = new Worker(CLIENT, { eval: true })
  onTestFinished(async () => void (await client.terminate()))
  return (asked) =>
    new Promise((resolve, reject) => {
      client.once('error', reject)
      client.once('message', (status: number) => {
        client.off('error', reject)
        resolve(status)
      })
      client.postMessage(asked)
    })
}
