/**
 * Stands for systemd-run in tests: runs $PROGRAM in place of the command, with the arguments that systemd would give to it.
 * Writes the options to the file $OPTIONS, if that is set.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const words = process.argv.slice(2)
const end = words.indexOf('--')
const { PROGRAM = '', OPTIONS } = process.env
if (OPTIONS) writeFileSync(OPTIONS, JSON.stringify(words.slice(0, end)))
const { status } = spawnSync(PROGRAM, words.slice(end + 2).flatMap(expanded), { stdio: 'inherit' })
process.exitCode = status ?? 1

/** systemd.service(5), "COMMAND LINES": a word $NAME becomes the words of a variable, and ${NAME} in a word its value. */
function expanded(word: string): string[] {
  const value = (name: string) => process.env[name] ?? ''
  if (/^\$[^{$]/.test(word)) return value(word.slice(1)).split(/\s+/).filter(Boolean)
  return [
    word.replaceAll(/\$\$|\$\{(\w*)\}/g, (found, name?: string) =>
      found === '$$' ? '$' : value(name ?? ''),
    ),
  ]
}
