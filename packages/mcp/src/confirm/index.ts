export { type Asking, type AskingOptions, createAsking } from './asking.ts'
export type { Person, ProgramAnswer, Question, Yes } from './question.ts'
