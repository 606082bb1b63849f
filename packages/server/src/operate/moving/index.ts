export { type ComparedFigure, type Comparison, compareSides } from './compare.ts'
export { MoveRefused, placeOfUrl, refuseMoved, troubleOfMove } from './marks.ts'
export { move, openSource, type StartProgress, takeBack } from './move.ts'
export { countRows, insertSlice, type MovedTable, type Row, slicesOf } from './walk.ts'
