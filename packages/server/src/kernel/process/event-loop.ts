/** How long work may hold the thread, on which all requests are answered, before the event loop goes on. */
const SLICE_MS = 5
/** Looking at the clock costs about as much as a light item. */
const ITEMS_A_LOOK = 16

let heldSince: number | undefined

/** Whether those who asked this in the current turn of the event loop have held the thread for a slice. */
export function isHeld(): boolean {
  const now = performance.now()
  if (heldSince !== undefined) return now - heldSince > SLICE_MS
  heldSince = now
  setImmediate(() => {
    heldSince = undefined
  })
  return false
}

const waiting: (() => void)[] = []

/** Resolves in a later turn of the event loop. Each turn resumes one caller, in order, however many wait. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(goOn)
  })
}

function goOn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(goOn)
}

/**
 * Works through items, with a turn of the event loop between slices, and after the last of several. A few items are done
 * at once, even in a turn that is held: in line with long work they would wait for turns by the dozen.
 */
export async function inSlices<T>(items: Iterable<T>, work: (item: T, index: number) => void): Promise<void> {
  let index = 0
  let isLong = false
  for (const item of items) {
    if (index > 0 && index % ITEMS_A_LOOK === 0 && isHeld()) {
      isLong = true
      await nextTurn()
      // The next slice begins here, and does something even if others have held this turn.
      isHeld()
    }
    work(item, index++)
  }
  if (isLong) await nextTurn()
}

/** Pauses in real time, not on the injected clock: tests that move time must not affect how long work gathers. */
export function pauseInRealTime(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Longer JSON takes milliseconds to join, and as long again to send. */
const LONG_JSON = 100_000

/** The JSON of a list. A long one is made in several turns of the event loop, and the caller goes on in one more. */
export async function jsonInSlices<T>(items: readonly T[], toRow: (item: T) => object): Promise<string> {
  const pieces = ['[']
  await inSlices(items, (item, index) => {
    if (index > 0) pieces.push(',')
    pieces.push(JSON.stringify(toRow(item)))
  })
  pieces.push(']')
  // Brackets that were put around it later would copy it once more.
  const json = pieces.join('')
  if (json.length > LONG_JSON) await nextTurn()
  return json
}
