import { type Logger, pino } from 'pino'

export type { Logger }

/** Logs to stderr, because stdout is for data: readable lines on a terminal, JSON otherwise. */
export async function createLog(level: string, terminal: boolean): Promise<Logger> {
  const options = {
    level,
    base: null,
    redact: {
      paths: ['authorization', '*.authorization', 'clientSecret', '*.clientSecret', 'content', '*.content'],
      censor: '[redacted]',
    },
  }
  return pino(options, terminal ? await readable() : toStderr())
}

/** In bytes. Lines beyond are dropped, so that a reader that stands still does not fill the memory. */
const MOST_WAITING = 16 * 2 ** 20

/** Lines that can't be written, such as on a full disk, wait for the next one, and at the end of the process are lost. */
function toStderr() {
  const lines = pino.destination({ dest: 2, sync: false, maxLength: MOST_WAITING })
  let failed = false
  lines.on('error', () => {
    failed = true
  })
  lines.on('write', () => {
    failed = false
  })
  // Before the handler that writes what is left, and tries that for ever.
  process.prependListener('exit', () => {
    if (failed) lines.destroy()
  })
  return lines
}

async function readable() {
  const { PinoPretty } = await import('pino-pretty')
  return PinoPretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss', colorize: true })
}
