/** How long data is kept, and how it is exported and erased. Start reading in `columns.ts`. */
export {
  type EraseConsequences,
  type EraseOptions,
  eraseAccount,
  eraseConsequences,
  MOST_CONSEQUENCES,
} from './account.ts'
export { CLASSES } from './columns.ts'
export { beginExport, EXPORTED, exportName, exportRows } from './export.ts'
export { type ErasedNumber, eraseNumber } from './number.ts'
export { forgetSends, retentionTasks } from './sends.ts'
