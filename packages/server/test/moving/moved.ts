import { onTestFinished } from 'vitest'
import { type Comparison, move, openSource } from '../../src/operate/moving/index.ts'
import { open } from '../support/engine.ts'

/** Runs between the two phases of a move, for tests that get in the way. */
export type Between = (what: 'rows copied' | 'rows compared') => Promise<void> | void

/** Moves a file into a database, as the command does. */
export async function moved(path: string, url: string, between: Between = () => {}): Promise<Comparison> {
  const source = await openSource(path)
  const target = open(url)
  try {
    return await move({
      source,
      target,
      to: url,
      async startProgress(_, what) {
        await between(what)
        return { update() {}, stop() {} }
      },
    })
  } finally {
    await target.close()
    await source.database.close()
  }
}

/** A store that is closed when the test is over. */
export function opened(url: string) {
  const database = open(url)
  onTestFinished(() => database.close())
  return database
}
