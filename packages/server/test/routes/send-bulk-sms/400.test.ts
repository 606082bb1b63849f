import { unreadable } from '../sends/400.ts'
import { bulk } from '../sends/send.ts'

unreadable(bulk)
