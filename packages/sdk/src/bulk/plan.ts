import type { ManyCheckpoint, ManyMessage, ManyOptions } from './bulk-types.ts'
import { type Render, readContent } from './content.ts'
import { digestOf } from './digest.ts'
import { mostRecipients } from './parts.ts'

/** The format of checkpoints. Those of the first have no number, and their messages no fields. */
const version = 2

/** Smaller where each row has its own text, since every request of a part may be repeated after a crash. */
const partSizeWithTexts = 100

/** What a run starts from. */
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
    throw new TypeError(`dedupe: expected 'refuse' or 'skip'; got ${dedupe}.`)
  if (resume && !(resume.key && Array.isArray(resume.parts) && (resume.version ?? version) === version))
    throw new TypeError('resume: expected the checkpoint of an earlier run; got something else.')
  const key = resume?.key ?? idempotencyKey ?? crypto.randomUUID()
  expectSame('idempotencyKey', idempotencyKey, key)
  // A run of which no part has begun has spent no key: its message may still change.
  const earlier = resume?.parts.some(Boolean) ? structuredClone(resume) : undefined
  const isFirstFormat = earlier && !earlier.version
  const { text: content, render } = isFirstFormat ? { text: message.Content } : readContent(message.Content)
  const usual = render ? partSizeWithTexts : mostRecipients
  const partSize = earlier?.partSize ?? options.partSize ?? usual
  expectSame('partSize', options.partSize, partSize)
  const digest = digestOf(message)
  if (earlier && !isFirstFormat && earlier.message !== digest)
    throw new TypeError('resume: expected the message of the run to resume; this one differs.')
  const checkpoint = earlier ?? { version, key, message: digest, partSize, parts: [] }
  return { checkpoint, content, render, partSize }
}

function expectWhole(name: string, value = 1, most = Number.MAX_SAFE_INTEGER): void {
  if (!(Number.isInteger(value) && value > 0 && value <= most))
    throw new TypeError(`${name}: expected a whole number from 1 to ${most}; got ${value}.`)
}

function expectSame(name: string, value: unknown, earlier: unknown): void {
  if (value !== undefined && value !== earlier)
    throw new TypeError(`${name}: expected ${earlier}, as in the run to resume; got ${value}.`)
}
