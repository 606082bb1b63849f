import type { Command } from 'commander'
import { type Config, loadConfig } from '../config/config.ts'
import type { RunOptions } from '../gateway/operator-parts.ts'
import { openLog } from '../kernel/process/log.ts'
import { commandProcess } from './command-process.ts'
import { say } from './terminal.ts'

/** Adds the flags of commands that open the store. */
export function withDatabase(command: Command): Command {
  return command.option(
    '--database <url>',
    'file:./wigwag.db or postgres://user@host/name (WIGWAG_DATABASE_URL)',
  )
}

/** The configuration of this command line, with the real log. `number` is that of one of several processes. */
export async function runOptions(
  flags: Record<string, string | undefined>,
  number?: number,
): Promise<{ config: Config } & RunOptions> {
  const { env, stderr, exit, hashPassword, checkPassword, clock } = commandProcess()
  const config = loadConfig(flags, env, process.cwd())
  const log = await openLog(config.logLevel, stderr, number)
  return {
    config,
    log,
    ...(clock && { clock }),
    hash: hashPassword && (async (password) => hashPassword(password)),
    check: checkPassword,
    onFatal(error) {
      say(
        `wigwag: the disk failed (${error.message}); exiting, so that no message is accepted that is not stored.`,
      )
      exit(1)
    },
  }
}
