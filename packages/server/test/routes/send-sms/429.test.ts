import { tooMany } from '../sends/429.ts'
import { single } from '../sends/send.ts'

tooMany(single)
