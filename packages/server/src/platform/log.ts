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
  return pino(options, terminal ? await readable() : pino.destination({ dest: 2, sync: false }))
}

async function readable() {
  const { PinoPretty } = await import('pino-pretty')
  return PinoPretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss', colorize: true })
}
