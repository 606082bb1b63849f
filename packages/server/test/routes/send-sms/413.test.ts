import { tooLarge } from '../sends/413.ts'
import { single } from '../sends/send.ts'

tooLarge(single)
