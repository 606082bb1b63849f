import type { Command } from 'commander'
import type { Surroundings } from '../compose/office.ts'
import { type Config, loadConfig } from '../config.ts'
import { createLog } from '../log.ts'

/** Flags that every command which opens the store takes. */
export function withDatabase(command: Command): Command {
  return command.option(
    '--database <url>',
    'file:./wigwag.db or postgres://user@host/name (WIGWAG_DATABASE_URL)',
  )
}

/** The configuration of this command line, and the real log. */
export function surroundings(flags: Record<string, string | undefined>): { config: Config } & Surroundings {
  const config = loadConfig(flags, process.env, process.cwd())
  const log = createLog(config.logLevel, process.stderr.isTTY)
  return {
    config,
    log,
    onFatal(error) {
      process.stderr.write(
        `wigwag: the disk failed (${error.message}); ending, so that nothing is promised that is not kept.\n`,
      )
      process.exit(1)
    },
  }
}
