import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Block, root } from './page.ts'
import { MAIN } from './run.ts'

const run = promisify(execFile)
const helps = new Map<string, Promise<string>>()

/** The faults of a block that is not run, as far as reading it tells. */
export async function faultsOf({ text }: Block): Promise<string[]> {
  const faults = [...(await syntaxFaults(text)), ...filesThatLack(text)]
  for (const words of wigwagCommands(text)) faults.push(...(await commandFaults(words)))
  return faults
}

async function syntaxFaults(text: string): Promise<string[]> {
  return run('bash', ['-n', '-c', text]).then(
    () => [],
    (error: Error) => [error.message],
  )
}

function filesThatLack(text: string): string[] {
  const named = text.match(/(?<![\w/.-])(?:deploy|docs|scripts|examples)\/[\w./-]+/g) ?? []
  // An operator makes these out of the examples beside them.
  const carriers = ['carriers.json', 'north.password', 'south.password']
  const made = ['deploy/.env', ...carriers.map((name) => `deploy/carriers/${name}`)]
  return named
    .filter((path) => !made.includes(path) && !existsSync(join(root, path)))
    .map((path) => `there is no ${path}`)
}

/** The words behind each `wigwag` that is called as a program. */
function wigwagCommands(text: string): string[][] {
  const lines = text.replace(/\\\n\s*/g, ' ').replace(/\s#\s.*$/gm, '')
  const called =
    /(?:^|[|&;(]\s*|gateway(?:-\d)?\s+|--\s+|npx @\w+\/|\bsudo\s[^|&;\n]*?|deploy\/wigwag -- )wigwag(?:-admin)? ([a-z][^|&;<>\n)]*)/gm
  return [...lines.matchAll(called)].map(([, rest = '']) => rest.trim().split(/\s+/))
}

async function commandFaults(words: string[]): Promise<string[]> {
  const [command = '', second = ''] = words
  if (!(await helpOf(command))) return [`there is no command wigwag ${command}`]
  const both = /^[a-z-]+$/.test(second) ? await helpOf(command, second) : ''
  const help = both || (await helpOf(command))
  const flags = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '')
  return flags
    .filter((flag) => flag !== '--' && !help.includes(flag))
    .map((flag) => `wigwag ${words.join(' ')}: it has no ${flag}`)
}

/** The help of a command; empty if there is no such command. */
function helpOf(...words: string[]): Promise<string> {
  const key = words.join(' ')
  const known = helps.get(key)
  if (known) return known
  const asked = run(process.execPath, [MAIN, ...words, '--help']).then(
    // For a word that is no command, the help of what is around it is printed.
    ({ stdout }) => (stdout.includes(`Usage: wigwag ${key} `) ? stdout : ''),
    () => '',
  )
  helps.set(key, asked)
  return asked
}
