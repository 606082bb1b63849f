import { wrongType } from '../sends/415.ts'
import { bulk } from '../sends/send.ts'

wrongType(bulk)
