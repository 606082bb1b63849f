import { visibleJson, visibleLines } from '@wigwag/contract'
import type { Command } from 'commander'
import { commandProcess } from './command-process.ts'

export { counted, span } from '@wigwag/contract'
export { lines, table } from './table.ts'

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
const COLOURS = new RegExp(`((?<![^\\n])${ESCAPE}\\[(?:3[123]|90)m[a-z ]+${ESCAPE}\\[39m)`)

/** A text with what is invisible in it escaped, but for line breaks and the colours at the beginning of a line. */
function shown(text: string): string {
  return text
    .split(COLOURS)
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
