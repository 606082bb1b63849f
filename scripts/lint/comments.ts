/**
 * Names comments that begin like a riddle: "What …", "Those …", "One that …", "Whoever …" instead of the thing itself.
 *
 *   node scripts/lint/comments.ts
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const RIDDLE = /(?:^|[.!?:] )(What|Those|One that|Whoever)\b(?![^.!?]*\?)/

const found = sources().flatMap((path) => riddles(path, readFileSync(join(root, path), 'utf8')))
if (found.length > 0) {
  console.error(found.join('\n'))
  console.error(
    `${found.length} sentences of comments begin with What, Those, One that or Whoever: name the thing.`,
  )
  process.exitCode = 1
}

function sources(): string[] {
  const listed = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mts', '*.mjs'], { cwd: root })
  return listed
    .toString()
    .split('\n')
    .filter((path) => path !== '' && !path.includes('/generated/'))
}

function riddles(path: string, text: string): string[] {
  return commentsOf(text)
    .filter(({ words }) => RIDDLE.test(words))
    .map(({ line, words }) => `${path}:${line}: ${words.slice(0, 100)}`)
}

/** Comments as they read: lines that follow each other are one, without their slashes and asterisks. */
function commentsOf(text: string): { line: number; words: string }[] {
  const comments: { line: number; last: number; words: string }[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const [, opening = '', words] =
      /^\s*(\/\*\*?|\*|\/\/)(?: (.*?))?\s*(?:\*\/)?$/.exec(line) ?? / (\/\/) (.*)$/.exec(line) ?? []
    if (words === undefined || words === '') continue
    const before = comments.at(-1)
    const goesOn = before !== undefined && before.words !== '' && before.last === index - 1
    if (goesOn && !opening.startsWith('/*')) {
      before.words += ` ${words}`
      before.last = index
    } else comments.push({ line: index + 1, last: index, words })
  }
  return comments
}
