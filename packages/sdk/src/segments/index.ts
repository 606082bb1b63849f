export { contentFields } from './content-fields.ts'
export {
  type EstimateManyOptions,
  estimateMany,
  type ManyEstimate,
  type ManyRefusal,
} from './estimate-many.ts'
export { countSegments, type SegmentCount } from './segments.ts'
