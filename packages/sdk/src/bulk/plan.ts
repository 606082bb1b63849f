import { type Render, readContent } from '@wigwag/contract/content'
import { shown } from '../check.ts'
import { checkLimits } from '../options.ts'
import { misfit } from '../shape.ts'
import type { ManyCheckpoint, ManyMessage, ManyOptions } from './bulk-types.ts'
import { digestOf } from './digest.ts'
import { mostRecipients } from './parts.ts'

/** The format of checkpoints. */
const version = 1

/** Smaller where each row has its own text, since every request of a part may be repeated after a crash. */
const partSizeWithTexts = 100

/** The checked input of a run. */
export interface Plan {
  /** A new one, or a copy of that of the run to resume. */
  checkpoint: ManyCheckpoint
  /** The text, with its escapes resolved. */
  content: string
  /** Makes the text of a row, if `Content` has fields. */
  render: Render | undefined
  partSize: number
}

/** Checks the message and the options, also against the run to resume. Throws a TypeError. */
export function planOf(message: ManyMessage, options: Omit<ManyOptions, 'onProgress'>): Plan {
  const { resume, idempotencyKey, dedupe } = options
  expectWhole('concurrency', options.concurrency)
  expectWhole('partSize', options.partSize, mostRecipients)
  if (dedupe !== undefined && dedupe !== 'refuse' && dedupe !== 'skip')
    throw new TypeError(`dedupe: expected 'refuse' or 'skip'; got ${shown(dedupe)}.`)
  checkLimits(options)
  if (resume !== undefined) expectCheckpoint(resume)
  const key = resume?.key ?? idempotencyKey ?? crypto.randomUUID()
  expectSame('idempotencyKey', idempotencyKey, key)
  // A run of which no part has begun has spent no key: its message may still change.
  const earlier = resume?.parts.some(Boolean) ? structuredClone(resume) : undefined
  const { text: content, render } = readContent(message.Content)
  const usual = render ? partSizeWithTexts : mostRecipients
  const partSize = earlier?.partSize ?? options.partSize ?? usual
  expectSame('partSize', options.partSize, partSize)
  const digest = digestOf(message)
  if (earlier && earlier.message !== digest)
    throw new TypeError('resume: expected the message of the run to resume; this one differs.')
  const checkpoint = earlier ?? { version, key, message: digest, partSize, parts: [] }
  return { checkpoint, content, render, partSize }
}

const partShape = { at: 0, digest: 0, done: true, round: 0, settled: [0], tickets: '' }
const optional = ['round', 'settled', 'tickets']

/** An empty one is refused too: with none, the run would send to all again. */
function expectCheckpoint(resume: ManyCheckpoint): void {
  const whyNot = (part: unknown, at: number) => {
    if (part === null) return undefined
    const has = ([name]: [string, unknown]) => Object(part)[name] !== undefined
    const isAsked = (field: [string, unknown]) =>
      has(field) ? field[0] !== 'at' || Object(part).at !== null : !optional.includes(field[0])
    return misfit(Object.fromEntries(Object.entries(partShape).filter(isAsked)), part, `resume.parts.${at}`)
  }
  const why =
    misfit({ key: 'k', parts: [] }, resume, 'resume') ??
    resume.parts.map(whyNot).find(Boolean) ??
    (resume.version === version ? undefined : `resume.version is ${resume.version}`)
  if (why) throw new TypeError(`resume: expected the checkpoint of an earlier run; ${why}.`)
}

function expectWhole(name: string, value = 1, most = Number.MAX_SAFE_INTEGER): void {
  if (!(Number.isInteger(value) && value > 0 && value <= most))
    throw new TypeError(`${name}: expected a whole number from 1 to ${most}; got ${shown(value)}.`)
}

function expectSame(name: string, value: unknown, earlier: unknown): void {
  if (value !== undefined && value !== earlier)
    throw new TypeError(`${name}: expected ${earlier}, as in the run to resume; got ${value}.`)
}
