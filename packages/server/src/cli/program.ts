import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { OperatorError } from '../gateway/operator.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { serveCommand } from './serve.ts'
import { Failed } from './terminal.ts'

/** Runs one command line and says how the process should exit: 0 done, 1 failed, 2 usage, 3 part of a bulk failed. */
export async function run(argv: readonly string[]): Promise<number> {
  const program = new Command('wigwag')
    .description('An SMS gateway: one program on SQLite or PostgreSQL.')
    .version(packageJson.version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(wigwag --help shows what there is)')
  program.addCommand(serveCommand())
  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program)
  try {
    await program.parseAsync([...argv])
    return 0
  } catch (error) {
    return exitCodeFor(error)
  }
}

function exitCodeFor(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof ConfigError) {
    process.stderr.write(`wigwag: ${error.message}\n`)
    return 2
  }
  if (error instanceof Failed) {
    process.stderr.write(`wigwag: ${error.message}\n`)
    return error.exitCode
  }
  const known = error instanceof OperatorError || (error instanceof Error && 'code' in error)
  process.stderr.write(`wigwag: ${error instanceof Error ? (known ? error.message : error.stack) : String(error)}\n`)
  return 1
}
