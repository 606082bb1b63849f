import { describe, it } from 'vitest'
import { plan } from '../src/plan.ts'
import { faults } from './faults.ts'
import { findsAlone } from './found.ts'

// Nothing is started here, but all faults with all checks are too much for each run of the tests in process.
describe.concurrent('a fault of a server', () => {
  it.each(faults)('is found by the check that is about it alone: %s (%s)', (_, id, fault) =>
    findsAlone(id, fault, plan),
  )
})
