/**
 * Steps of the schema. A step's file name says what it means to a program that does not know the step,
 * because the table `migrations` keeps the name:
 *
 *   0003_widen_WHAT.sql               adds what such a program can ignore
 *   0004_index_WHAT.sql               adds one index, on PostgreSQL while others write
 *   0005_narrow_after_0003_WHAT.sql   takes away what only programs use that do not know step 3
 *
 * A program also works without the narrow steps that it knows, so they can wait.
 */

/** The steps before the first release, which are neither. */
const FIRST_STEPS = ['0001_schema.sql', '0002_people.sql']
/** The first steps of the time before those. */
const BEFORE_RELEASE = ['0001_init.sql', '0001_tables.sql']
const NAME = /^(\d{4})_(widen|index|narrow_after_(\d{4}))_[a-z0-9_]+\.sql$/

export interface StepName {
  number: number
  kind: 'first' | 'widen' | 'index' | 'narrow'
  /** Of a narrow step: a program that knows the step with this number works beside it. */
  after: number
}

/** Undefined for a name that no version gives to a step. */
export function stepNamed(name: string): StepName | undefined {
  if (FIRST_STEPS.includes(name)) return { number: Number(name.slice(0, 4)), kind: 'first', after: 0 }
  const found = NAME.exec(name)
  if (!found) return undefined
  const [, number, kind, after = '0'] = found
  const isNarrow = kind !== 'widen' && kind !== 'index'
  return { number: Number(number), kind: isNarrow ? 'narrow' : kind, after: Number(after) }
}

/** The schema is not one that this version works with. The message says what to do, and nothing was changed. */
export class WrongSchema extends Error {
  override readonly name = 'WrongSchema'
}

/** The schema of a database, as one program sees it. */
export interface SchemaState {
  /** Steps that this program needs and the schema lacks. */
  pending: string[]
  /** Narrow steps that the schema lacks. This program works without them. */
  waiting: string[]
  /** Steps of a newer version, which this program can ignore. */
  beside: string[]
  /** Steps with which this program can't work. */
  unknown: string[]
}

export function schemaState(files: readonly string[], done: readonly string[]): SchemaState {
  const newest = newestOf(files)
  const lacking = files.filter((name) => !done.includes(name))
  const foreign = done.filter((name) => !files.includes(name))
  return {
    pending: lacking.filter((name) => stepNamed(name)?.kind !== 'narrow'),
    waiting: lacking.filter((name) => stepNamed(name)?.kind === 'narrow'),
    beside: foreign.filter((name) => canIgnore(name, newest)),
    unknown: foreign.filter((name) => !canIgnore(name, newest)),
  }
}

/** The number of the newest step of a program. */
export function newestOf(files: readonly string[]): number {
  return Math.max(0, ...files.map((name) => Number(name.slice(0, 4))))
}

/** Whether a program whose newest step is `newest` works beside a step that it does not know. */
function canIgnore(name: string, newest: number): boolean {
  const step = stepNamed(name)
  if (!step || step.kind === 'first' || step.number <= newest) return false
  return step.kind !== 'narrow' || step.after <= newest
}

/** Advice for a schema that lacks steps. */
export function toDo(pending: readonly string[]): string {
  return `the database needs ${pending.length === 1 ? 'one step' : `${pending.length} steps`} to be up to date: run wigwag migrate`
}

/** Advice for a schema with steps that this version can't work with. */
export function notOurs(unknown: readonly string[]): string {
  if (unknown.some((name) => BEFORE_RELEASE.includes(name)))
    return 'the database was made before the first release, and no released version reads it: start with a new one'
  const narrow = unknown.filter((name) => stepNamed(name)?.kind === 'narrow')
  const [named, why] =
    narrow.length > 0 ? [narrow, ', which takes away what this version uses'] : [unknown, '']
  return `a newer version of wigwag migrated the database (${named.join(', ')}${why}): use that version, or restore a backup from before`
}

/** Advice for a schema that lacks narrow steps. */
export function stillToNarrow(waiting: readonly string[]): string {
  return `${waiting.join(', ')} ${waiting.length === 1 ? 'waits' : 'wait'} until no older gateway runs: run wigwag migrate then`
}

/** Notes that a newer version added to the schema. */
export function newerBeside(beside: readonly string[]): string {
  return `a newer version of wigwag added to the database (${beside.join(', ')}), and this version works beside it`
}
