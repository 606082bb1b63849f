import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Check } from './check.ts'

const run = promisify(execFile)
const wigwag = join(import.meta.dirname, '../../../packages/server/dist/main.js')
const MISSING = 'Install what is missing: apt-get install zsh fish'

/** zsh and fish complete what `wigwag completion` prints for them. */
export async function shells(folder: string, check: Check): Promise<void> {
  const scriptFor = async (shell: string) => {
    const file = join(folder, `completion.${shell}`)
    const { stdout } = await run(process.execPath, [wigwag, 'completion', shell], { cwd: folder })
    await writeFile(file, stdout)
    return file
  }
  const fish = await scriptFor('fish')
  const offeredByFish = async (line: string) => {
    const ask = `source ${fish}; complete -C ${JSON.stringify(line)}`
    const { stdout } = await started(run('fish', ['--no-config', '-c', ask], { cwd: folder }))
    return stdout.split('\n').flatMap((offer) => (offer === '' ? [] : [offer.split('\t')[0] ?? '']))
  }
  const zsh = await scriptFor('zsh')
  const offeredByZsh = async (line: string) => {
    const file = join(folder, 'ask.zsh')
    await writeFile(file, askInZsh(zsh, line))
    const { stdout } = await started(run('zsh', ['-f', file], { cwd: folder, timeout: 30_000 }))
    // It offers a word with its description in two steps.
    return [...new Set([...stdout.matchAll(/<<(.*?)>>/g)].map(([, word]) => word ?? ''))]
  }

  for (const [shell, offered] of [
    ['fish', offeredByFish],
    ['zsh', offeredByZsh],
  ] as const) {
    for (const [what, line, expected] of QUESTIONS) {
      await check(`${shell} completes ${what}`, async () => {
        const words = (await offered(line)).toSorted().join(' ')
        if (words !== expected)
          throw new Error(`expected ${expected} after "${line}", got ${words || 'nothing'}`)
      })
    }
  }
}

const QUESTIONS = [
  ['a command', 'wigwag acc', 'account'],
  ['a command of a command', 'wigwag wallet ', 'credit debit statement warn'],
  ['an option', 'wigwag wallet credit x@y.example --am', '--amount'],
  ['the value of an option', 'wigwag callbacks list --state ', 'dead delivered pending'],
  ['the value of an argument', 'wigwag messages settle 01a1 ', 'failed success'],
] as const

/** Runs zsh at a terminal in which every word that is offered is printed between angle brackets. */
function askInZsh(script: string, line: string): string {
  return `zmodload zsh/zpty
zpty asked zsh -f -i
zpty -w asked "PROMPT=; autoload -Uz compinit && compinit -u -d ${script}.dump"
zpty -w asked "source ${script}"
zpty -w asked "compadd() { builtin compadd -O offers -D offers \\"\\$@\\"; local -a found; builtin compadd -A found \\"\\$@\\"; for word in \\$found; do print -rn -- \\"<<\\$word>>\\"; done }"
zpty -w asked "bindkey '^I' complete-word; print READY"
zpty -r asked answer '*READY*READY*'
zpty -n -w asked ${JSON.stringify(line)}$'\\t'
sleep 1
zpty -w asked $'\\x03'
zpty -w asked "print END-OF-IT"
while zpty -r -t asked part; do print -r -- "$part"; done
zpty -d asked
`
}

async function started<T>(running: Promise<T>): Promise<T> {
  return running.catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(MISSING) : error
  })
}
