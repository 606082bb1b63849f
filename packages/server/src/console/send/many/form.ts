import { readContent } from '@wigwag/contract'
import { linesOf } from '../fields.ts'
import type { Shared } from './check.ts'

/** What the forms for many carry from step to step: nothing is kept on the server. */
export interface ManyTyped {
  From: string
  Content: string
  CallbackUrl: string
  list: string
}

/** What is wrong with the list as a whole. */
export interface ListErrors {
  list?: string
  file?: string
}

export function manyTypedIn(form: URLSearchParams): ManyTyped & ListErrors {
  const [list, file] = [linesOf(form.get('list') ?? ''), linesOf(form.get('file') ?? '')]
  const isFile = file.trim() !== ''
  const both = isFile && list.trim() !== ''
  return {
    From: form.get('From')?.trim() ?? '',
    Content: linesOf(form.get('Content') ?? ''),
    CallbackUrl: form.get('CallbackUrl')?.trim() ?? '',
    list: isFile && !both ? file : list,
    ...(both && { file: 'Expected a list or a file, and both came. Empty the list to use the file.' }),
  }
}

export function sharedOf({ From, Content, CallbackUrl }: ManyTyped): Shared {
  return { From, Content, ...(CallbackUrl === '' ? {} : { CallbackUrl }) }
}

/** The fields that a text has; none if it can't be read, which its check says. */
export function fieldsIn(content: string): string[] {
  try {
    return readContent(content).fields
  } catch (error) {
    if (error instanceof TypeError) return []
    throw error
  }
}
