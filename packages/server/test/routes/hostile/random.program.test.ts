import { answersAnything } from './anything.ts'

// Nothing is started here; as many as find more take too long for each run of the tests in process.
answersAnything(1_000)
