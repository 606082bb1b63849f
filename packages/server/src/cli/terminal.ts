/** A command that could not do what it was asked, with the exit code that says how. */
export class Failed extends Error {
  override readonly name = 'Failed'
  readonly exitCode: 1 | 2 | 3

  constructor(message: string, exitCode: 1 | 2 | 3 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Data goes to stdout, and nothing else does. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** What a person should know goes to stderr. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
