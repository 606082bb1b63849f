import { answersAnything } from './anything.ts'

answersAnything(200)
