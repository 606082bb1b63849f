export { type Asking, type AskingOptions, createAsking, isUnasked, UNASKED, type Unasked } from './asking.ts'
export type { Person, Question, Yes } from './person.ts'
