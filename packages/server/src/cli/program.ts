import { Command, CommanderError, Help } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { type CommandEntry, groups } from './commands.ts'
import { describeFailure } from './failure.ts'
import { say } from './terminal.ts'

const AFTER_HELP = `
A setting comes from its flag, else from the environment, else from a .env file.
Operator commands work on the database in WIGWAG_DATABASE_URL. Messages go to
WIGWAG_BASE_URL with the credentials in WIGWAG_CLIENT_ID, WIGWAG_CLIENT_SECRET
and WIGWAG_WALLET_TOKEN. These and WIGWAG_CALLBACK_SECRET come all from flags
and environment, or all from .env: with one of them set, .env is not read.

Exit code: 0 done, 1 failed, 2 wrong usage, 3 part of a bulk failed.

Examples:
  $ wigwag serve
  $ wigwag account create --name Acme --email ops@acme.example --sender ACME
  $ wigwag wallet credit ops@acme.example --amount 50
  $ wigwag send --from ACME --to 233241234567 --text 'Hello' --wait`

/** Runs one command line. Returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 part of a bulk failed. */
export async function run(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', stopWhenNobodyReads)
  const program = new Command('wigwag')
    .description('An SMS gateway: one program on SQLite or PostgreSQL.')
    .version(packageJson.version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .exitOverride()
    .configureHelp({ subcommandTerm: nameAndArguments, visibleCommands: allButHelp })
    .showHelpAfterError('(wigwag --help lists the commands)')
    .addHelpText('after', AFTER_HELP)
  const called = argv.slice(2).find((argument) => isCommand(argument))
  for (const { heading, commands } of groups) {
    program.commandsGroup(heading)
    for (const entry of commands) program.addCommand(entry.name === called ? await entry.load() : stub(entry))
  }
  for (const command of program.commands) inherit(command, program)
  try {
    await program.parseAsync([...argv])
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const { message, exitCode } = describeFailure(error)
    say(`wigwag: ${message}`)
    return exitCode
  }
}

function isCommand(name: string): boolean {
  return groups.some(({ commands }) => commands.some((entry) => entry.name === name))
}

/** A placeholder in the overview for a command that was not called. */
function stub({ name, summary }: CommandEntry): Command {
  return new Command(name).description(summary)
}

function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inherit(child, command)
}

function nameAndArguments(command: Command): string {
  const places = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  )
  return [command.name(), ...places].join(' ')
}

/** Hides the help command in help texts. `wigwag help send` still works. */
function allButHelp(this: Help, command: Command): Command[] {
  return Help.prototype.visibleCommands.call(this, command).filter((child) => child.name() !== 'help')
}

/** Exits normally when the reader of stdout is gone, as in `wigwag rates list | head`. */
function stopWhenNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
}
