import { tooLarge } from '../sends/413.ts'
import { bulk } from '../sends/send.ts'

tooLarge(bulk)
