import { recipientDigits } from '@wigwag/contract'
import { contentFields } from '@wigwag/sdk/segments'
import { whyNotFilled } from '../../kernel/text/fields.ts'
import { readCsv, refuseMistakes } from '../messages/csv-file.ts'
import { Failed } from '../terminal.ts'

/** A recipient with its line in the file and the cells that the text names. */
export interface BulkRow {
  line: number
  To: string
  Reference?: string
  [field: string]: string | number | undefined
}

/** A row whose number an earlier row has. */
export interface Repeat {
  line: number
  To: string
  /** The line of the first row with the number. */
  first: number
}

export interface BulkList {
  rows: BulkRow[]
  /** Whether the text names columns. */
  hasFields: boolean
  repeats: Repeat[]
}

/**
 * Reads the whole file before sending anything, so that a malformed file sends nothing. Columns that the text names, as
 * `{Name}`, come along; a name that no column has is refused.
 */
export async function readList(file: string, text: string): Promise<BulkList> {
  const fields = fieldsOf(text)
  const { rows, mistakes, header } = await readCsv<string>(file, {
    required: ['To'],
    optional: ['Reference'],
    alsoNeeded: fields,
    others: 'ignored',
  })
  const lacking = whyNotFilled(fields, header, file)
  if (lacking !== undefined) throw new Failed(`--content ${lacking}`, 2)
  refuseMistakes(file, mistakes)
  if (rows.length === 0)
    throw new Failed(`${file}: expected at least one recipient below the first line, got none`)
  const found = rows.map(({ line, cells: { To = '', Reference, ...cells } }): BulkRow => {
    const row = { ...cells, To, line }
    return Reference ? { ...row, Reference } : row
  })
  return { rows: found, hasFields: fields.length > 0, repeats: repeatsIn(found) }
}

function fieldsOf(text: string): string[] {
  try {
    return contentFields(text)
  } catch (error) {
    if (error instanceof TypeError) throw new Failed(error.message.replace(/^Content/, '--content'), 2)
    throw error
  }
}

function repeatsIn(rows: readonly BulkRow[]): Repeat[] {
  const first = new Map<string, number>()
  const repeats: Repeat[] = []
  for (const { line, To } of rows) {
    const number = recipientDigits(To)
    const before = first.get(number)
    if (before === undefined) first.set(number, line)
    else repeats.push({ line, To, first: before })
  }
  return repeats
}
