import { createInterface } from 'node:readline'
import { styleText } from 'node:util'
import { visible, visibleJson, visibleLines } from '@wigwag/contract'
import type { Command } from 'commander'
import type { Finding } from '../kernel/finding.ts'
import { commandProcess } from './command-process.ts'

export { counted, span } from '@wigwag/contract'
export { Columns, lines, table } from './table.ts'

/** A command failed. Carries the exit code, and what a program can use of the error. */
export class Failed extends Error {
  override readonly name = 'Failed'
  readonly exitCode: 1 | 2 | 3
  readonly details: Readonly<Record<string, unknown>>

  constructor(message: string, exitCode: 1 | 2 | 3 = 1, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.exitCode = exitCode
    this.details = details
  }
}

/** Writes data to stdout, which is for data only. Foreign text in it can't control the terminal. */
export function print(text: string): void {
  commandProcess().stdout.write(`${shown(text)}\n`)
}

/** Writes a message for the user to stderr. */
export function say(text: string): void {
  commandProcess().stderr.write(`${shown(text)}\n`)
}

/** Writes one value as JSON to stdout, on one line unless an indent is given. */
export function printJson(value: unknown, indent?: number): void {
  commandProcess().stdout.write(`${asJson(value, indent)}\n`)
}

/** Writes a table that programs read to stdout, to the last character unless that is a terminal. */
export function printFile(text: string): void {
  const { stdout } = commandProcess()
  if (stdout.isTTY) print(text)
  else stdout.write(`${text}\n`)
}

export function asJson(value: unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, null, indent))
}

/** The codes that `styleText` puts around the state of a check. */
const ESCAPE = '\u001b'
const COLOURED = new RegExp(`((?<![^\\n])${ESCAPE}\\[(?:3[123]|90)m[a-z ]+${ESCAPE}\\[39m)`)

/** A text with what is invisible in it escaped, but for line breaks and the colours at the beginning of a line. */
function shown(text: string): string {
  return text
    .split(COLOURED)
    .map((part, index) => (index % 2 === 1 ? part : visibleLines(part)))
    .join('')
}

export interface OutputFlags {
  json?: true
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON, errors too')
}

/** Prints the result of a command: as JSON with `--json`, else as text. */
export function output({ json }: OutputFlags, data: unknown, text: string): void {
  if (json) printJson(data, 2)
  else if (text !== '') print(text)
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'gray' } as const

/** A finding as a line. `width` is that of the longest name of a check. */
export function findingLine({ check, state, detail }: Finding, width: number): string {
  return `${styleText(COLOURS[state], state.padEnd(4))}  ${check.padEnd(width)}  ${detail}`
}

export interface Progress {
  update(done: number): void
  /** Clears the bar, and shows nothing more. */
  stop(): void
}

/** With what stands beside it, the bar is narrower than any terminal. */
const BAR = 30
const CLEARED = '\r\u001b[K'

/** A progress bar on stderr, if that is a terminal. `what` says what is counted. It is drawn at each further percent. */
export function startProgress(total: number, what = ''): Progress {
  const { stderr } = commandProcess()
  if (!stderr.isTTY) return { update() {}, stop() {} }
  let shown = -1
  let stopped = false

  function update(done: number): void {
    const percent = total === 0 ? 100 : Math.floor((done / total) * 100)
    if (stopped || percent === shown) return
    shown = percent
    const full = Math.floor((percent / 100) * BAR)
    const bar = '█'.repeat(full) + '░'.repeat(BAR - full)
    stderr.write(`${CLEARED}${`${bar} ${percent}% ${done} of ${total} ${what}`.trimEnd()}`)
  }

  update(0)
  return {
    update,
    stop() {
      if (!stopped) stderr.write(CLEARED)
      stopped = true
    },
  }
}

/** Whether a person is at the terminal and can be asked. */
export function canAsk(): boolean {
  const { stdin, stderr } = commandProcess()
  return Boolean(stdin.isTTY && stderr.isTTY)
}

/** Whether the person at the terminal says yes. */
export async function saysYes(question: string): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `)
  return /^y(es)?$/i.test(answer.trim())
}

/** The line that a person types; empty after Ctrl-C or Ctrl-D. */
function ask(question: string): Promise<string> {
  const { stdin, stderr } = commandProcess()
  const terminal = createInterface({ input: stdin, output: stderr })
  return new Promise((resolve) => {
    terminal.once('SIGINT', () => terminal.close())
    terminal.once('close', () => {
      stderr.write('\n')
      resolve('')
    })
    terminal.question(visible(question), (answer) => {
      resolve(answer)
      terminal.removeAllListeners('close').close()
    })
  })
}
