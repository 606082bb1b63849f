/** How long data is kept, and how it is exported and erased. Start reading in `columns.ts`. */
export {
  createEraseAccount,
  type EraseConsequences,
  type EraseOptions,
  eraseConsequences,
  MOST_CONSEQUENCES,
} from './account.ts'
export { CLASSES } from './columns.ts'
export { createBeginExport, EXPORTED, exportName, exportRows } from './export.ts'
export { createEraseNumber, type ErasedNumber } from './number.ts'
export { type RetentionOptions, retentionTasks } from './retention.ts'
export { forgetSends } from './sends.ts'
