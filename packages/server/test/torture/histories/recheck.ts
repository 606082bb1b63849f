/**
 * Checks a history that was written to a file again, and prints what is wrong with it.
 *
 *   node packages/server/test/torture/histories/recheck.ts <file>
 */
import { checkHistory } from './check/check-history.ts'
import { inWords } from './figures.ts'
import { readHistory } from './history.ts'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('expected the file of a history')
const violations = checkHistory(readHistory(file))
console.log(violations.length === 0 ? 'no violations' : inWords(violations))
process.exitCode = violations.length === 0 ? 0 : 1
