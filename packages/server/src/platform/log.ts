import { type Logger, pino } from 'pino'
import { PinoPretty } from 'pino-pretty'

export type { Logger }

/** Logs to stderr, because stdout is for data: readable lines on a terminal, JSON otherwise. */
export function createLog(level: string, terminal: boolean): Logger {
  const options = {
    level,
    base: null,
    redact: {
      paths: ['authorization', '*.authorization', 'clientSecret', '*.clientSecret', 'content', '*.content'],
      censor: '[redacted]',
    },
  }
  const stream = terminal
    ? PinoPretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss', colorize: true })
    : pino.destination({ dest: 2, sync: false })
  return pino(options, stream)
}
