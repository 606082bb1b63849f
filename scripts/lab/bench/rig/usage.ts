import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Processor time and memory of processes, as Linux tells them. */
export interface Usage {
  /** Processor time used so far, in milliseconds. */
  cpuMs(): number
  /** Memory that is held now. */
  residentMb(): number
  /** The most that was held since the last `forgetPeak`. */
  peakMb(): number
  forgetPeak(): void
}

export function usageOf(pid: number): Usage {
  const megabytes = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  return {
    cpuMs: () => cpuOf(`/proc/${pid}`).own,
    residentMb: () => megabytes('VmRSS'),
    peakMb: () => megabytes('VmHWM'),
    // Linux: 5 sets the peak to what is held now.
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
  }
}

/** The sum of what several processes take. The sum of their peaks may be more than the peak of their sum. */
export function together(usages: readonly Usage[]): Usage {
  const sum = (of: (usage: Usage) => number) => usages.reduce((total, usage) => total + of(usage), 0)
  return {
    cpuMs: () => sum((usage) => usage.cpuMs()),
    residentMb: () => sum((usage) => usage.residentMb()),
    peakMb: () => sum((usage) => usage.peakMb()),
    forgetPeak() {
      for (const usage of usages) usage.forgetPeak()
    },
  }
}

/** A program with what the processes take that it has started by now. */
export function withChildren<Program extends Usage & { pid: number }>(program: Program): Program {
  return { ...program, ...together(familyOf(program.pid).map(usageOf)) }
}

/** The processor time of each of a process's threads that is there now, in milliseconds, summed by their names. */
export function cpuByThread(pid: number): Map<string, number> {
  const found = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`
    const name = readFileSync(`${folder}/comm`, 'utf8').trim()
    found.set(name, (found.get(name) ?? 0) + cpuOf(folder).own)
  }
  return found
}

/** The processor time of a process and all that descend from it, ended ones included. */
export function cpuOfFamily(pid: number): number {
  return family(pid).reduce((sum, [, { own, ended }]) => sum + own + ended, 0)
}

/** A process and all that descend from it. */
export function familyOf(pid: number): number[] {
  return family(pid).map(([one]) => Number(one))
}

function family(pid: number) {
  const all = new Map<string, ReturnType<typeof cpuOf>>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      all.set(entry, cpuOf(`/proc/${entry}`))
    } catch {
      // It ended meanwhile.
    }
  }
  const descends = (one: string): boolean => {
    if (one === String(pid)) return true
    const parent = all.get(one)?.parent
    return parent !== undefined && parent !== '0' && descends(parent)
  }
  return [...all].filter(([one]) => descends(one))
}

/** Processor time of a process in milliseconds: its own, and that of its ended children. */
function cpuOf(folder: string): { parent: string; own: number; ended: number } {
  const fields = readFileSync(`${folder}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const ms = (...indexes: number[]) => indexes.reduce((sum, index) => sum + Number(fields[index]) * 10, 0)
  return { parent: fields[1] ?? '', own: ms(11, 12), ended: ms(13, 14) }
}
