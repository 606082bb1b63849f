export { type Asking, type AskingOptions, createAsking } from './asking.ts'
export type { Person, Question, Yes } from './question.ts'
