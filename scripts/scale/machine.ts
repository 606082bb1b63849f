/** The parts that a simulated system is put together from. Times are in microseconds, and nothing is random here. */

export interface Timeline {
  now(): number
  after(us: number, work: () => void): void
  /** Lets time pass until nothing is left to do. */
  run(): void
}

export function createTimeline(): Timeline {
  const events = createHeap<{ at: number; work(): void }>()
  let now = 0
  return {
    now: () => now,
    after: (us, work) => events.push({ at: now + us, work }),
    run() {
      for (let next = events.pop(); next; next = events.pop()) {
        now = next.at
        next.work()
      }
    },
  }
}

/** Something that takes time, and says when it is over. */
export type Step = (done: () => void) => void
export type Steps = Generator<Step, void, void>

/** Takes steps one after the other. */
export function play(steps: Steps, done: () => void = () => {}): void {
  const next = steps.next()
  if (next.done) done()
  else next.value(() => play(steps, done))
}

/** Processors that are shared evenly: each task runs on one of them, or on its part when there are more tasks. */
export interface Host {
  run(us: number, done: () => void): void
  /** Processor time used so far. */
  busy(): number
}

export function createHost(timeline: Timeline, processors: number): Host {
  const tasks = createHeap<{ at: number; done(): void }>()
  /** What a task would have got that was there from the start. All tasks run at the same rate. */
  let given = 0
  let since = 0
  let used = 0
  let plans = 0
  const rate = () => Math.min(1, processors / tasks.size())

  function advance(): void {
    const passed = timeline.now() - since
    since = timeline.now()
    if (tasks.size() === 0) return
    given += passed * rate()
    used += passed * rate() * tasks.size()
  }

  function plan(): void {
    const mine = ++plans
    const next = tasks.peek()
    if (!next) return
    timeline.after(Math.max(0, (next.at - given) / rate()), () => {
      if (mine !== plans) return
      advance()
      given = next.at
      tasks.pop()
      plan()
      next.done()
    })
  }

  return {
    run(us, done) {
      advance()
      tasks.push({ at: given + us, done })
      plan()
    },
    busy: () => used,
  }
}

/** One task after the other, in the order in which they came: an event loop. */
export interface Thread {
  run(us: number, done: () => void): void
}

export function createThread(host: Host): Thread {
  const waiting = createQueue<{ us: number; done(): void }>()
  let busy = false

  function next(): void {
    const task = waiting.take()
    busy = task !== undefined
    if (!task) return
    host.run(task.us, () => {
      task.done()
      next()
    })
  }

  return {
    run(us, done) {
      waiting.add({ us, done })
      if (!busy) next()
    },
  }
}

/** A log on a disk: a flush stores all that came before it began, and the next one begins when it is over. */
export interface Log {
  commit(done: () => void): void
  flushes(): number
}

export function createLog(timeline: Timeline, flushUs: () => number): Log {
  let waiting: (() => void)[] = []
  let flushing = false
  let flushes = 0

  function flush(): void {
    const stored = waiting
    waiting = []
    flushing = stored.length > 0
    if (!flushing) return
    flushes++
    timeline.after(flushUs(), () => {
      flush()
      for (const done of stored) done()
    })
  }

  return {
    commit(done) {
      waiting.push(done)
      if (!flushing) flush()
    },
    flushes: () => flushes,
  }
}

/** Locks by number. Each is held by one at a time, in the order in which they came. */
export interface Locks {
  take(lock: number, taken: () => void): void
  release(lock: number): void
}

export function createLocks(): Locks {
  const waiting = new Map<number, ReturnType<typeof createQueue<() => void>>>()
  return {
    take(lock, taken) {
      const queue = waiting.get(lock)
      if (queue) queue.add(taken)
      else {
        waiting.set(lock, createQueue())
        taken()
      }
    },
    release(lock) {
      const next = waiting.get(lock)?.take()
      if (next) next()
      else waiting.delete(lock)
    },
  }
}

/** The same numbers between 0 and 1 for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return function random() {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function createQueue<T>() {
  let items: T[] = []
  let head = 0
  return {
    add(item: T): void {
      items.push(item)
    },
    take(): T | undefined {
      const item = items[head++]
      if (head < items.length) return item
      items = []
      head = 0
      return item
    },
  }
}

/** The earliest first; of those at one time, the first that came. */
function createHeap<T extends { at: number }>() {
  const heap: { item: T; nth: number }[] = []
  let count = 0
  const isBefore = (a: number, b: number) => {
    const [one, other] = [heap[a], heap[b]]
    if (!one || !other) return false
    return one.item.at < other.item.at || (one.item.at === other.item.at && one.nth < other.nth)
  }
  const swap = (a: number, b: number) => {
    const [one, other] = [heap[a], heap[b]]
    if (!one || !other) return
    heap[a] = other
    heap[b] = one
  }
  return {
    size: () => heap.length,
    peek: () => heap[0]?.item,
    push(item: T): void {
      heap.push({ item, nth: count++ })
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1
        if (!isBefore(at, parent)) return
        swap(at, parent)
        at = parent
      }
    },
    pop(): T | undefined {
      const first = heap[0]
      swap(0, heap.length - 1)
      heap.pop()
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2]
        const child = isBefore(right, left) ? right : left
        if (!isBefore(child, at)) return first?.item
        swap(at, child)
        at = child
      }
    },
  }
}
