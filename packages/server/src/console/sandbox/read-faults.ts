import { type FaultErrors, type FaultSettings, readFaults } from '../../sandbox/index.ts'

/** What was typed, and what is wrong with it. */
export interface WrongFaults {
  given: Record<string, string>
  errors: FaultErrors
}

/** Reads the form of faults. A fault whose box is not ticked is off, whatever its field says. */
export function readFaultsForm(form: URLSearchParams): FaultSettings | WrongFaults {
  const on = (name: string) => (form.has(name) ? (form.get(`${name}-value`) ?? '') : undefined)
  const read = readFaults({
    slow: on('slow'),
    lost: on('lost'),
    receivers: on('receivers'),
    gateway: on('gateway'),
  })
  return 'errors' in read ? { given: Object.fromEntries(form), ...read } : read
}
