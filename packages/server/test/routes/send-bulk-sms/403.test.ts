import { forbidden } from '../sends/403.ts'
import { bulk } from '../sends/send.ts'

forbidden(bulk)
