import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { bashScript, completed, fishScript, zshScript } from '../../src/cli/completion/shells.ts'
import { createProgram } from '../../src/cli/program.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const program = await createProgram(() => true)

/** Bash's offers for a command line whose last word is unfinished. */
async function offered(...words: string[]): Promise<string[]> {
  const script = join(folder, 'completion.bash')
  writeFileSync(script, bashScript(completed(program)))
  const ask = `source "$1"; shift; COMP_WORDS=(wigwag "$@"); COMP_CWORD=$#; _wigwag; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await promisify(execFile)('bash', ['-c', ask, 'bash', script, ...words])
  return stdout.split('\n').filter((word) => word !== '')
}

it('prints a script for each shell, and says in its help how to install it', async () => {
  for (const [shell, script] of [
    ['bash', bashScript],
    ['zsh', zshScript],
    ['fish', fishScript],
  ] as const) {
    const { code, stdout } = await runProgram(['completion', shell], { cwd: folder })
    expect({ code, stdout }).toEqual({ code: 0, stdout: script(completed(program)) })
  }
  const { stdout } = await runProgram(['completion', '--help'], { cwd: folder })
  expect(stdout).toContain("echo 'source <(wigwag completion bash)' >> ~/.bashrc")
})

it.each<[string, string[], string[]]>([
  ['commands', ['ac'], ['account']],
  ['commands of a command', ['wallet', ''], ['credit', 'debit', 'statement', 'warn']],
  ['options', ['wallet', 'credit', 'x@y', '--am'], ['--amount']],
  ['the values of an option', ['callbacks', 'list', '--state', 'de'], ['delivered', 'dead']],
  ['the values of an argument', ['account', 'connections', 'x@y', 'e'], ['end']],
  ['the values of a first argument', ['completion', 'z'], ['zsh']],
  ['commands after an option', ['--help', 'rat'], ['rates']],
  ['nothing for a value of any text', ['send', '--from', ''], []],
  ['options after the value of one', ['send', '--from', 'list', '--co'], ['--content']],
  ['nothing where nothing may follow', ['balance', ''], []],
])('bash completes %s', async (_, words, expected) => {
  const found = await offered(...words)
  const last = words.at(-1) ?? ''
  expect(found.toSorted()).toEqual(expected.filter((word) => word.startsWith(last)).toSorted())
})

it('names in each script every command and every option of the program', () => {
  const scripts = [bashScript, zshScript, fishScript].map((script) => script(completed(program)))
  const check = (command: Command, path: string) => {
    for (const child of command.commands) {
      const childPath = `${path} ${child.name()}`.trim()
      for (const script of scripts) expect(script).toMatch(new RegExp(`' ?${childPath}'`))
      check(child, childPath)
    }
    for (const { long } of command.options) {
      for (const script of scripts) expect(script).toMatch(new RegExp(`${long}\\b|-l ${long?.slice(2)}\\b`))
    }
  }
  check(program, '')
})
