import type { Writable } from 'node:stream'
import { visible, visibleJson, visibleLines } from '@wigwag/contract'
import { type Logger, pino } from 'pino'

export type { Logger }

/**
 * Logs to stderr, because stdout is for data: readable lines on a terminal, JSON otherwise. A stream that is not the
 * process's own is simply written to. Where several processes write to one log, each line has the number of its own.
 */
export async function openLog(
  level: string,
  stderr: Writable & { isTTY?: boolean },
  number?: number,
): Promise<Logger> {
  const options = {
    level,
    base: number === undefined ? null : { process: number },
    redact: {
      paths: ['authorization', '*.authorization', 'clientSecret', '*.clientSecret', 'content', '*.content'],
      censor: '[redacted]',
    },
    // A log is read on terminals, and contains foreign text.
    hooks: { streamWrite: stderr.isTTY ? visibleLine : visibleJson },
  }
  if (stderr !== process.stderr) return pino(options, stderr)
  return pino(options, stderr.isTTY ? await readable() : toStderr(number === undefined ? undefined : AT_ONCE))
}

/** A line whose words are shown as they are: what is invisible in them is escaped first. */
function visibleLine(line: string): string {
  const words = JSON.parse(line, (key, value) => {
    if (typeof value !== 'string') return value
    return key === 'stack' ? visibleLines(value) : visible(value)
  })
  return `${JSON.stringify(words)}\n`
}

/** In bytes. A pipe takes so many in one piece (POSIX); lines of other processes could come between longer ones. */
const AT_ONCE = 4_096

/** In bytes. Lines beyond are dropped, so that a reader that stands still does not fill the memory. */
const MOST_WAITING = 16 * 2 ** 20

/** Lines that can't be written, such as on a full disk, wait for the next one, and at the end of the process are lost. */
function toStderr(maxWrite: number | undefined) {
  const gathers = maxWrite === undefined ? {} : { maxWrite }
  const lines = pino.destination({ dest: 2, sync: false, maxLength: MOST_WAITING, ...gathers })
  let failed = false
  lines.on('error', () => {
    failed = true
  })
  lines.on('write', () => {
    failed = false
  })
  // Runs before the handler that writes what is left, which would try for ever.
  process.prependListener('exit', () => {
    if (failed) lines.destroy()
  })
  return lines
}

async function readable() {
  const { PinoPretty } = await import('pino-pretty')
  return PinoPretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss', colorize: true })
}
