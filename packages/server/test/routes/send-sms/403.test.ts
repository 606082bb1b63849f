import { forbidden } from '../sends/403.ts'
import { single } from '../sends/send.ts'

forbidden(single)
