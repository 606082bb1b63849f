export type { ComparedFigure, Comparison } from './compare.ts'
export { MoveRefused, refuseMoved, troubleOfMove } from './marker.ts'
export { move } from './move.ts'
export { openSource, takeBack } from './source.ts'
