import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../../../packages/server/test/support/free-port.ts'
import { sendingBy, startCarrier, startFlowCarrier } from '../rig/gateways.ts'
import type { Server } from '../rig/processes.ts'

/** The settings of two gateways, and the carriers that they send by. */
export interface Carriers {
  quiet: Record<string, string>
  troubled: Record<string, string>
  stop(): Promise<void>
}

export async function flowCarrier(folder: string): Promise<Carriers> {
  const carrier = await startFlowCarrier(folder)
  return {
    quiet: sendingBy(carrier, { name: 'quiet' }),
    troubled: sendingBy(carrier, { name: 'troubled' }),
    stop: carrier.stop,
  }
}

export async function pacedCarrier(folder: string): Promise<Carriers> {
  const carrier = await startFlowCarrier(folder)
  const paced = (name: string) => sendingBy(carrier, { name, query: 'tps=20' })
  return { quiet: paced('quiet'), troubled: paced('troubled'), stop: carrier.stop }
}

/** Of numbers that the faulty one of two carriers serves. */
export const FAULTY_PREFIX = '23320'

/** Two carriers by routes; with trouble, one of them fails, as its flags say, or is not there when it has none. */
export async function twoCarriers(folder: string, flags?: readonly string[]): Promise<Carriers> {
  const sound = await startFlowCarrier(folder)
  const faulty = flags && (await startCarrier(folder, flags))
  const settings = async (name: string, other: Pick<Server, 'port'>) => {
    const file = join(folder, `${name}-${sound.port}.json`)
    const carrier = (at: Pick<Server, 'port'>) => ({
      url: sendingBy(at, { name }).WIGWAG_CARRIER.replace(':secret@', '@'),
      passwordEnv: 'BENCH_PASSWORD',
    })
    const carriers = { sound: carrier(sound), faulty: carrier(other) }
    const way = (prefix: string, to: string) => ({ prefix, carriers: [{ name: to }] })
    const routes = [way(FAULTY_PREFIX, 'faulty'), way('', 'sound')]
    await writeFile(file, JSON.stringify({ carriers, routes }))
    return { WIGWAG_CARRIER: `file:${file}`, BENCH_PASSWORD: 'secret' }
  }
  return {
    quiet: await settings('quiet', sound),
    troubled: await settings('troubled', faulty ?? { port: await freePort() }),
    stop: async () => void (await Promise.all([sound.stop(), faulty?.stop()])),
  }
}
