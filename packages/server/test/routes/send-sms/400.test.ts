import { unreadable } from '../sends/400.ts'
import { single } from '../sends/send.ts'

unreadable(single)
