export { type EstimateManyOptions, estimateMany, type ManyEstimate } from './estimate-many.ts'
export { countSegments, type SegmentCount } from './segments.ts'
