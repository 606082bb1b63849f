import { Command, CommanderError, Help, type OutputConfiguration } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { type CommandProcess, commandProcess, runIn } from './command-process.ts'
import { type CommandEntry, groups } from './commands.ts'
import { describeFailure, FailedInLog, failureLine } from './failure.ts'
import { say } from './terminal.ts'

const AFTER_HELP = `
A setting comes from its flag, else from the environment, else from a .env file.
Operator commands work on the database in WIGWAG_DATABASE_URL. Messages go to
WIGWAG_BASE_URL with the credentials in WIGWAG_CLIENT_ID, WIGWAG_CLIENT_SECRET
and WIGWAG_WALLET_TOKEN. These and WIGWAG_CALLBACK_SECRET come all from flags
and environment, or all from .env: with one of them set, .env is not read.
WIGWAG_FROM is the sender where --from is left out.

Exit code: 0 done, 1 failed, 2 wrong usage, 3 part of a bulk failed.
With --json an error is one JSON object, on the last line of stderr.

Examples:
  $ wigwag serve
  $ wigwag account create --name Acme --email ops@acme.example --sender ACME
  $ wigwag wallet credit ops@acme.example --amount 50
  $ wigwag send --from ACME --to 233241234567 --content 'Hello' --wait`

/**
 * Runs one command line. Returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 part of a bulk failed. Another process
 * than Node's own gives its streams, its environment and its signals.
 */
export function run(argv: readonly string[], running: CommandProcess = process): Promise<number> {
  return runIn(running, () => runCommandLine(argv, running))
}

async function runCommandLine(
  argv: readonly string[],
  { stdout, stderr, exit }: CommandProcess,
): Promise<number> {
  // Exits normally when the reader of stdout is gone, as in `wigwag rates list | head`.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') exit(0)
    else throw error
  })
  // A command continues when its output can't be written, such as on a full disk.
  stderr.on('error', () => undefined)
  const isJson = wantsJson(argv)
  const called = entryIn(argv.slice(2))
  const program = await createProgram((entry) => called?.readsAll === true || entry === called, isJson)
  try {
    await program.parseAsync([...argv])
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if (error instanceof FailedInLog) return error.exitCode
    const failure = describeFailure(error)
    if (isJson) say(failureLine(failure))
    // Commander has printed its own already.
    else if (!(error instanceof CommanderError)) say(`wigwag: ${failure.message}`)
    return failure.exitCode
  }
}

/** The program with all its commands. Only the code of those that are `called` is loaded; of the others, the names. */
export async function createProgram(
  isCalled: (entry: CommandEntry) => boolean,
  isQuiet = false,
): Promise<Command> {
  const program = new Command('wigwag')
    .description('An SMS gateway: one program on SQLite or PostgreSQL.')
    .version(packageJson.version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput(outputOf(commandProcess(), isQuiet))
    .configureHelp({ subcommandTerm: nameAndArguments, visibleCommands: allButHelp })
    .showHelpAfterError('(wigwag --help lists the commands)')
    .addHelpText('after', AFTER_HELP)
  for (const { heading, commands } of groups) {
    program.commandsGroup(heading)
    for (const entry of commands) {
      const command = isCalled(entry) ? await entry.load() : stub(entry)
      program.addCommand(command.summary(entry.summary))
    }
  }
  for (const command of program.commands) inherit(command, program, 'wigwag')
  return program
}

/** Whether errors are to be JSON too. Known before the command line is read, since that may be what fails. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? undefined : end).includes('--json')
}

/** The command that is called, as far as can be told before the command line is read. */
function entryIn(words: readonly string[]): CommandEntry | undefined {
  const entries = groups.flatMap(({ commands }) => commands)
  const name = words.find((word) => entries.some((entry) => entry.name === word))
  return entries.find((entry) => entry.name === name)
}

/** A placeholder in the overview for a command that was not called. */
function stub({ name, summary }: CommandEntry): Command {
  return new Command(name).description(summary)
}

function inherit(command: Command, parent: Command, path: string): void {
  const name = `${path} ${command.name()}`
  const shown = command.commands.length > 0 ? 'lists the commands' : 'shows the options'
  command.copyInheritedSettings(parent).showHelpAfterError(`(${name} --help ${shown})`)
  for (const child of command.commands) inherit(child, command, name)
}

function nameAndArguments(command: Command): string {
  const places = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  )
  return [command.name(), ...places].join(' ')
}

/** Hides the help command that commander gives each group. `wigwag account help show` works. */
function allButHelp(this: Help, command: Command): Command[] {
  return Help.prototype.visibleCommands.call(this, command).filter((child) => child.parent !== null)
}

/** Where Commander writes help and errors of usage. Where errors are to be JSON, its own are left out. */
function outputOf({ stdout, stderr }: CommandProcess, isQuiet: boolean): OutputConfiguration {
  return {
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void (isQuiet || stderr.write(text)),
  }
}
