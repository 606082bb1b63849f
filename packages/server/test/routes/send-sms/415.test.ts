import { wrongType } from '../sends/415.ts'
import { single } from '../sends/send.ts'

wrongType(single)
