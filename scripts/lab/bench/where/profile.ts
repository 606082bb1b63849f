import { once } from 'node:events'
import type { Profiler } from 'node:inspector'
import { AS_SHIPPED } from '../rig/gateways.ts'

/** A sample every half a millisecond costs the gateway little. */
const INTERVAL_US = 500

/** A place in the program and what was called from there. */
export interface Place {
  name: string
  /** A path of the checkout, a module of Node, or nothing for what is built in. */
  file: string
  line: number
  parent: Place | undefined
  called: Place[]
  /** Time in which it ran itself, in microseconds. */
  selfUs: number
}

/** Makes a gateway say where its inspector listens. */
export const INSPECTED = { NODE_OPTIONS: `${AS_SHIPPED.NODE_OPTIONS} --inspect=127.0.0.1:0` }

/** Profiles the first thread of an inspected program, by what it said at its start, while something is done. */
export async function profile(said: string, during: () => Promise<unknown>): Promise<Place[]> {
  const url = /ws:\/\/\S+/.exec(said)?.[0]
  if (!url) throw new Error(`expected the program to say where its inspector listens, got ${said}`)
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const ask = async (id: number, method: string, params = {}): Promise<unknown> => {
    const answered = new Promise<unknown>((resolve) => {
      socket.addEventListener('message', function hear({ data }) {
        const message = JSON.parse(String(data)) as { id?: number; result?: unknown }
        if (message.id !== id) return
        socket.removeEventListener('message', hear)
        resolve(message.result)
      })
    })
    socket.send(JSON.stringify({ id, method, params }))
    return answered
  }
  await ask(1, 'Profiler.enable')
  await ask(2, 'Profiler.setSamplingInterval', { interval: INTERVAL_US })
  await ask(3, 'Profiler.start')
  await during()
  const { profile } = (await ask(4, 'Profiler.stop')) as { profile: Profiler.Profile }
  socket.close()
  return placesOf(profile)
}

function placesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Place[] {
  const places = new Map<number, Place>()
  for (const { id, callFrame } of nodes) {
    const { functionName, url, lineNumber } = callFrame
    const name = functionName || '(anonymous)'
    places.set(id, {
      name,
      file: fileOf(url),
      line: lineNumber + 1,
      parent: undefined,
      called: [],
      selfUs: 0,
    })
  }
  for (const { id, children = [] } of nodes) {
    const parent = places.get(id)
    for (const child of children) {
      const place = places.get(child)
      if (!parent || !place) continue
      place.parent = parent
      parent.called.push(place)
    }
  }
  for (const [index, id] of samples.entries()) {
    const place = places.get(id)
    // A sample's time lasts until the next one.
    if (place) place.selfUs += timeDeltas[index + 1] ?? 0
  }
  return [...places.values()]
}

const root = new URL('../../../../', import.meta.url).href

function fileOf(url: string): string {
  return url.startsWith(root) ? url.slice(root.length) : url
}
