import { tooMany } from '../sends/429.ts'
import { bulk } from '../sends/send.ts'

tooMany(bulk)
