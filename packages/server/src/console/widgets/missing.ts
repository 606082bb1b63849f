import { Problem } from '../../domain/errors.ts'
import { markup } from '../../platform/pages/markup.ts'
import type { PlaceId } from '../frame/places.ts'
import type { Page } from '../frame/visit.ts'

/** Waits for something of the wallet; undefined when there is no such thing, or when it is not the wallet's. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined
    throw error
  }
}

/** The page in place of one that is not there. It says the same of what is another account's. */
export function missingPage({ what, place }: { what: string; place: PlaceId }): Page {
  return {
    title: `No such ${what}`,
    place,
    status: 404,
    middle: true,
    body: markup`<section class="sheet"><h1>There is no such ${what}</h1><p>It was never here, or it is not one of this wallet. Check the address.</p></section>`,
  }
}
